//! Nothing is sent to an account that cannot prove who it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use affinity_gateway::config::{Channel, Dialect, Secret};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

use crate::harness::{Caller, Talk, Upstream, gateway};

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let own = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    let (acceptor, trusted) = (
        TlsAcceptor::from(Arc::new(config)),
        Arc::new(AtomicBool::new(false)),
    );
    let believed = Arc::clone(&trusted);
    let upstream = Upstream::raw(move |stream| {
        let (acceptor, believed) = (acceptor.clone(), Arc::clone(&believed));
        async move {
            if acceptor.accept(stream).await.is_ok() {
                believed.store(true, Ordering::Relaxed);
            }
        }
    })
    .await;
    let url = format!("https://{}", upstream.addr).parse().unwrap();
    let mut channel = Channel::new("imposter", url, &Dialect::ALL);
    channel.key = Secret::new("sk-upstream");
    let running = gateway([channel], |_| {}).await;
    let answer = Caller::of(&running).chat(&Talk::new("hi")).await;
    assert_eq!(answer.status, 502);
    assert!(!trusted.load(Ordering::Relaxed));
}
