//! Nothing is sent to an account that cannot prove who it is.

use std::path::Path;
use std::sync::Arc;

use affinity_gateway::config::{Config, Dialect, Keys, load};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{CertificateParams, CertifiedIssuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use tokio_rustls::TlsAcceptor;

use crate::harness::{Answer, Caller, Talk, Upstream, gateway, json_response};

type Authority = CertifiedIssuer<'static, KeyPair>;

/// Who vouches for certificates.
fn authority() -> Authority {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// An account at 127.0.0.1, with a certificate of this authority.
async fn vouched_for_by(authority: &Authority) -> Upstream {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Upstream::raw(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let answer = service_fn(|_| async { Ok::<_, hyper::Error>(good()) });
            let server = hyper::server::conn::http1::Builder::new();
            let _ = server.serve_connection(TokioIo::new(stream), answer).await;
        }
    })
    .await
}

fn good() -> http::Response<crate::harness::Body> {
    json_response(200, &json!({"choices": []}))
}

/// What a request to the account is answered, with this file as its `ca_file`.
async fn ask(account: &Upstream, ca_file: Option<&Path>) -> Answer {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("affinity.toml");
    let mut text = format!(
        "[[channels]]\nname = \"acct-0\"\nbase_url = \"https://{}\"\ndialects = [\"{}\"]\n",
        account.addr,
        Dialect::OpenaiChat.name(),
    );
    if let Some(ca_file) = ca_file {
        text += &format!("ca_file = {ca_file:?}\n");
    }
    std::fs::write(&file, text).unwrap();
    let Config { channels, .. } = load(&file, [], Keys::Read).unwrap();
    let running = gateway(channels, |_| {}).await;
    Caller::of(&running).chat(&Talk::new("hi")).await
}

#[tokio::test]
async fn an_account_is_believed_when_its_authority_is_trusted_and_else_refused() {
    let (ours, others) = (authority(), authority());
    let directory = tempfile::tempdir().unwrap();
    let ca_file = directory.path().join("ca.pem");
    std::fs::write(&ca_file, ours.pem()).unwrap();

    let account = vouched_for_by(&ours).await;
    let imposter = vouched_for_by(&others).await;
    let believed = ask(&account, Some(&ca_file)).await;
    assert_eq!((believed.status.as_u16(), believed.account()), (200, 0));
    assert_eq!(ask(&account, None).await.status, 502, "a private authority");
    assert_eq!(ask(&imposter, Some(&ca_file)).await.status, 502);
    assert_eq!(ask(&imposter, None).await.status, 502);
}
