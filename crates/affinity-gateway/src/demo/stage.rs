//! The simulated accounts and the gateway in front of them.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use affinity_gateway::config::{Channel, Config, Dialect, Policy};
use affinity_gateway::serve::{Gateway, Running};
use affinity_sim::http::agents::Conversation;
use affinity_sim::http::{Account, Fault, Latency, Options, Throttle};
use anyhow::{Context, anyhow};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::agent::Line;
use super::outcome::{Load, Outcome, Sample, share};
use super::progress::Progress;

/// How long an unused prompt stays cached: five minutes, thirty times faster.
const CACHE_TTL: Duration = Duration::from_secs(10);
/// How long the gateway spares an account that failed: 30 s, as fast.
const COOLDOWN: Duration = Duration::from_secs(1);
/// When the first account fails, and until when.
const OUTAGE: [Duration; 2] = [Duration::from_secs(4), Duration::from_millis(5500)];

/// One policy's accounts and gateway, on loopback.
#[derive(Debug)]
pub(super) struct Stage {
    policy: &'static str,
    accounts: Vec<Account>,
    gateway: Running,
    line: Line,
}

/// What the agents reported so far.
#[derive(Debug, Default)]
struct Book {
    samples: Vec<Sample>,
    errors: u64,
}

impl Stage {
    pub(super) async fn start(policy: Policy, accounts: u32, seed: u64) -> anyhow::Result<Self> {
        let mut started = Vec::new();
        for number in 0..accounts {
            let options = options(number, seed);
            let account = Account::start(options)
                .await
                .context("cannot start an account")?;
            started.push(account);
        }
        let gateway = Gateway::start(config(policy, &started)?).await?;
        Ok(Self {
            policy: match policy {
                Policy::Affinity => "affinity",
                Policy::RoundRobin => "round-robin",
            },
            line: Line::new(format!("http://{}", gateway.addr)),
            accounts: started,
            gateway,
        })
    }

    /// Has the agents hold the conversations.
    pub(super) async fn play(
        self,
        conversations: Vec<Conversation>,
        progress: &Arc<Progress>,
    ) -> Outcome {
        let began = Instant::now();
        let book = Arc::new(Mutex::new(Book::default()));
        let mut agents = JoinSet::new();
        for conversation in conversations {
            let (book, progress) = (Arc::clone(&book), Arc::clone(progress));
            let (api, policy) = (conversation.api(), self.policy);
            agents.spawn(self.line.clone().hold(conversation, began, move |call| {
                let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
                match call {
                    Ok((heard, first_token)) => book.samples.push(Sample {
                        at: began.elapsed(),
                        api,
                        tokens: heard.tokens,
                        first_token,
                    }),
                    Err(error) => {
                        book.errors += 1;
                        progress.note(&format!("{policy}: an agent saw an error: {error:#}"));
                    }
                }
                progress.step(policy, share(&book.samples));
            }));
        }
        tokio::join!(self.outage(began), async {
            // An agent that panicked has shown why; its conversation ends there.
            while agents.join_next().await.is_some() {}
        });
        let book = std::mem::take(&mut *book.lock().unwrap_or_else(PoisonError::into_inner));
        self.gateway.shutdown().await;
        Outcome {
            policy: self.policy,
            samples: book.samples,
            errors: book.errors,
            loads: self.accounts.iter().map(load).collect(),
        }
    }

    /// The first account fails for a while.
    async fn outage(&self, began: Instant) {
        let account = &self.accounts[0];
        sleep_until(began + OUTAGE[0]).await;
        account.fail(Fault::Status { status: 503 }).await;
        sleep_until(began + OUTAGE[1]).await;
        account.heal().await;
    }
}

fn options(number: u32, seed: u64) -> Options {
    let mut options = Options::named(format!("account-{}", number + 1));
    // Far apart, so that two accounts of two seeds do not share one.
    options.seed = seed.wrapping_add(u64::from(number) << 32);
    options.cache_ttl = CACHE_TTL;
    options.latency = Latency {
        base: Duration::from_millis(60),
        per_uncached_token: Duration::from_micros(40),
        per_output_token: Duration::from_millis(2),
    };
    options.throttle = Throttle {
        per_mille: 4,
        retry_after: Duration::from_secs(1),
    };
    options
}

fn config(policy: Policy, accounts: &[Account]) -> anyhow::Result<Config> {
    let mut config = Config::default();
    config.server.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    config.affinity.policy = policy;
    config.affinity.ttl = CACHE_TTL;
    config.failover.cooldown = COOLDOWN;
    let channel = |account: &Account| {
        let base_url = account
            .base_url()
            .parse()
            .map_err(|problem: &str| anyhow!(problem))?;
        Ok(Channel::new(
            account.name(),
            base_url,
            &[Dialect::OpenaiChat, Dialect::Anthropic],
        ))
    };
    config.channels = accounts
        .iter()
        .map(channel)
        .collect::<anyhow::Result<_>>()?;
    Ok(config)
}

fn load(account: &Account) -> Load {
    let stats = account.stats();
    Load {
        name: account.name().to_owned(),
        attempts: stats.requests,
        prompt_tokens: stats.prompt_tokens,
        cached_tokens: stats.cached_tokens,
    }
}
