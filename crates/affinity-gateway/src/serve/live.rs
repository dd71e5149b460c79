//! What a reload replaces as one: accounts, who may use them, and the rules of a request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use affinity_llm::SessionRules;
use affinity_router::{Channel, Channels, Router};
use http::{HeaderName, HeaderValue};

use super::upstream::{Upstream, Upstreams};
use crate::config::{self, Agents, Config, Dialect, TokenHash};

/// The configuration as requests use it; each request keeps the one that it began with.
pub(super) struct Live {
    pub(super) config: Config,
    pub(super) accounts: Vec<Arc<Account>>,
    pub(super) session_rules: SessionRules,
    tenants: HashMap<TokenHash, Arc<str>>,
    pools: HashMap<Dialect, DialectPools>,
}

/// One upstream account.
pub(super) struct Account {
    pub(super) channel: Channel,
    pub(super) config: config::Channel,
    pub(super) upstream: Upstream,
    pub(super) name_header: HeaderValue,
    auth: HashMap<Dialect, (HeaderName, HeaderValue)>,
}

/// The accounts that one kind of request may go to. Positions in `channels` and `accounts` are
/// the same.
pub(super) struct Pool {
    pub(super) channels: Channels,
    pub(super) accounts: Vec<Arc<Account>>,
}

struct DialectPools {
    /// By each model and alias that some account names.
    named: HashMap<Box<str>, Arc<Pool>>,
    /// For models that no account names.
    other: Arc<Pool>,
    /// For requests without a model.
    all: Arc<Pool>,
}

impl Live {
    pub(super) fn new(config: Config, router: &Router, upstreams: &Upstreams) -> Self {
        let accounts: Vec<_> = config
            .channels
            .iter()
            .map(|c| Arc::new(Account::new(c, router, upstreams)))
            .collect();
        let pools = Dialect::ALL
            .into_iter()
            .map(|dialect| (dialect, DialectPools::new(dialect, &accounts)))
            .collect();
        let tenants = config
            .clients
            .iter()
            .map(|c| (c.token_sha256, c.tenant.as_str().into()))
            .collect();
        let session_rules = SessionRules::default()
            .own_header(config.affinity.session_header.as_str())
            .join_agent(config.affinity.agents == Agents::Split);
        Self {
            config,
            accounts,
            session_rules,
            tenants,
            pools,
        }
    }

    /// Whether anybody may use the gateway.
    pub(super) fn is_open(&self) -> bool {
        self.tenants.is_empty()
    }

    pub(super) fn tenant(&self, token: &[u8]) -> Option<&Arc<str>> {
        self.tenants.get(&TokenHash::of(token))
    }

    /// The accounts that serve this dialect and model; `None` when there are none.
    pub(super) fn pool(&self, dialect: Dialect, model: Option<&str>) -> Option<&Arc<Pool>> {
        let pools = self.pools.get(&dialect)?;
        let pool = match model {
            Some(model) => pools.named.get(model).unwrap_or(&pools.other),
            None => &pools.all,
        };
        (!pool.accounts.is_empty()).then_some(pool)
    }

    pub(super) fn account(&self, name: &str) -> Option<&Arc<Account>> {
        self.accounts.iter().find(|a| a.name() == name)
    }
}

impl DialectPools {
    fn new(dialect: Dialect, accounts: &[Arc<Account>]) -> Self {
        let speaking: Vec<_> = accounts
            .iter()
            .filter(|a| a.config.dialects.contains(&dialect))
            .collect();
        let pool = |serves: &dyn Fn(&Account) -> bool| {
            let chosen = speaking.iter().filter(|a| serves(a));
            Arc::new(Pool::new(chosen.map(|a| Arc::clone(a)).collect()))
        };
        let names = speaking
            .iter()
            .flat_map(|a| a.config.models.iter().chain(a.config.aliases.keys()));
        Self {
            named: names
                .map(|name| (name.as_str().into(), pool(&|a| a.serves(name))))
                .collect(),
            other: pool(&|a| a.config.models.is_empty()),
            all: pool(&|_| true),
        }
    }
}

impl Pool {
    fn new(accounts: Vec<Arc<Account>>) -> Self {
        Self {
            channels: Channels::new(accounts.iter().map(|a| a.channel.clone())),
            accounts,
        }
    }
}

impl Account {
    fn new(config: &config::Channel, router: &Router, upstreams: &Upstreams) -> Self {
        let mut channel = router.channel(&config.name).weight(config.weight);
        if let Some(ttl) = config.cache_ttl {
            channel = channel.ttl(ttl);
        }
        if let Some(max) = config.max_in_flight {
            channel = channel.max_in_flight(max);
        }
        let header = |dialect: &Dialect| {
            let key = config.key.as_ref()?;
            Some((*dialect, key.header(config.auth.unwrap_or(dialect.auth()))))
        };
        Self {
            channel,
            name_header: HeaderValue::from_str(&config.name)
                .unwrap_or(HeaderValue::from_static("unnamed")),
            upstream: upstreams.of(config),
            auth: config.dialects.iter().filter_map(header).collect(),
            config: config.clone(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.config.name
    }

    pub(super) fn auth(&self, dialect: Dialect) -> Option<&(HeaderName, HeaderValue)> {
        self.auth.get(&dialect)
    }

    fn serves(&self, model: &str) -> bool {
        self.config.models.is_empty()
            || self.config.models.iter().any(|m| m == model)
            || self.config.aliases.contains_key(model)
    }

    /// This account's own name for a model, where it differs.
    pub(super) fn alias(&self, model: &str) -> Option<&str> {
        self.config.aliases.get(model).map(String::as_str)
    }

    /// How long a request may wait for the first byte of its answer.
    pub(super) fn patience(&self, stream: bool, limits: &config::Limits) -> Duration {
        let (own, general) = if stream {
            (self.config.first_byte_timeout, limits.first_byte_timeout)
        } else {
            (self.config.answer_timeout, limits.answer_timeout)
        };
        own.unwrap_or(general)
    }

    pub(super) fn idle_timeout(&self, limits: &config::Limits) -> Duration {
        self.config.idle_timeout.unwrap_or(limits.idle_timeout)
    }
}
