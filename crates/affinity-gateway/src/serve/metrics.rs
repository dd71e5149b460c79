//! What is counted, for Prometheus.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use affinity_router::{Demoted, Router, Source};
use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
};

use super::failure::Reason;
use super::live::Live;
use super::usage::Usage;

/// Seconds, from a cached first token to a long generation.
const BUCKETS: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0,
];

/// Seconds that the gateway itself takes to decide.
const DECISION_BUCKETS: [f64; 8] = [1e-6, 5e-6, 2e-5, 1e-4, 5e-4, 2e-3, 1e-2, 1e-1];

pub(super) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    failovers: IntCounterVec,
    decisions: IntCounterVec,
    prompt_tokens: IntCounterVec,
    cached_tokens: IntCounterVec,
    written_tokens: IntCounterVec,
    decide: HistogramVec,
    first_byte: HistogramVec,
    duration: HistogramVec,
    reloads: IntCounterVec,
    in_flight: IntGaugeVec,
    cooling: IntGaugeVec,
    memories: IntGauge,
    table: TableCounters,
    /// Held while what is counted elsewhere is brought up to date: two at once would add it twice.
    exposing: Mutex<()>,
}

/// The table counts by itself; these are brought up to date when they are read.
struct TableCounters {
    hits: IntCounter,
    misses: IntCounter,
    probes: IntCounter,
    insertions: IntCounter,
    renewals: IntCounter,
    evictions: IntCounter,
    expiries: IntCounter,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let registry = Registry::new();
        let counters = |name: &str, help: &str, labels: &[&str]| {
            let vec = IntCounterVec::new(Opts::new(name, help), labels).expect("a valid metric");
            register(&registry, vec)
        };
        let histograms = |name: &str, help: &str, labels: &[&str], buckets: &[f64]| {
            let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
            register(
                &registry,
                HistogramVec::new(options, labels).expect("a valid metric"),
            )
        };
        let gauges = |name: &str, help: &str| {
            let vec = IntGaugeVec::new(Opts::new(name, help), &["channel"]);
            register(&registry, vec.expect("a valid metric"))
        };
        let table = |what: &str, help: &str| {
            let name = format!("affinity_table_{what}_total");
            register(
                &registry,
                IntCounter::new(name, help).expect("a valid metric"),
            )
        };
        Self {
            requests: counters(
                "affinity_requests_total",
                "Requests by the channel that answered (none: the gateway itself), dialect and status",
                &["channel", "dialect", "status"],
            ),
            failovers: counters(
                "affinity_failovers_total",
                "Attempts that failed and let the next channel be tried, by channel and reason",
                &["channel", "reason"],
            ),
            decisions: counters(
                "affinity_decisions_total",
                "Decisions by source, and why the home was not first",
                &["source", "demoted"],
            ),
            prompt_tokens: counters(
                "affinity_prompt_tokens_total",
                "Prompt tokens that channels reported, cached ones included",
                &["channel"],
            ),
            cached_tokens: counters(
                "affinity_cached_tokens_total",
                "Prompt tokens that channels read from their cache",
                &["channel"],
            ),
            written_tokens: counters(
                "affinity_cache_written_tokens_total",
                "Prompt tokens that channels wrote to their cache",
                &["channel"],
            ),
            decide: histograms(
                "affinity_decide_seconds",
                "Time from a request's last byte to its order",
                &[],
                &DECISION_BUCKETS,
            ),
            first_byte: histograms(
                "affinity_first_byte_seconds",
                "Time from a request's last byte to the answer's first body byte",
                &["channel"],
                &BUCKETS,
            ),
            duration: histograms(
                "affinity_request_seconds",
                "Time from a request's head to the end of its answer",
                &["channel"],
                &BUCKETS,
            ),
            reloads: counters(
                "affinity_reloads_total",
                "Reloads of the configuration",
                &["outcome"],
            ),
            in_flight: gauges("affinity_in_flight", "Requests in flight"),
            cooling: gauges("affinity_cooling", "1 while a channel cools down"),
            memories: register(
                &registry,
                IntGauge::new("affinity_memories", "Memories held").expect("a valid metric"),
            ),
            table: TableCounters {
                hits: table("hits", "Look-ups that found a memory"),
                misses: table("misses", "Look-ups that found none"),
                probes: table("probes", "Links looked at"),
                insertions: table("insertions", "New memories"),
                renewals: table("renewals", "Memories bound again"),
                evictions: table("evictions", "Memories that gave way to newer ones"),
                expiries: table("expiries", "Memories that outlived their ttl"),
            },
            exposing: Mutex::new(()),
            registry,
        }
    }

    pub(super) fn decided(&self, source: Source, demoted: Option<Demoted>, took: Duration) {
        let labels = [source_name(source), demoted.map_or("no", demoted_name)];
        self.decisions.with_label_values(&labels).inc();
        observe(&self.decide, &[], took);
    }

    pub(super) fn failed_over(&self, channel: &str, reason: Reason) {
        self.failovers
            .with_label_values(&[channel, reason.name()])
            .inc();
    }

    pub(super) fn first_byte(&self, channel: &str, took: Duration) {
        observe(&self.first_byte, &[channel], took);
    }

    pub(super) fn finished(&self, channel: &str, dialect: &str, status: &str, took: Duration) {
        self.requests
            .with_label_values(&[channel, dialect, status])
            .inc();
        observe(&self.duration, &[channel], took);
    }

    pub(super) fn used(&self, channel: &str, usage: Usage) {
        let add = |vec: &IntCounterVec, n| vec.with_label_values(&[channel]).inc_by(n);
        add(&self.prompt_tokens, usage.prompt);
        add(&self.cached_tokens, usage.cached);
        add(&self.written_tokens, usage.written);
    }

    pub(super) fn reloaded(&self, outcome: &str) {
        self.reloads.with_label_values(&[outcome]).inc();
    }

    /// The exposition, with what is counted elsewhere brought up to date.
    pub(super) fn text(&self, router: &Router, live: &Arc<Live>) -> String {
        let _alone = self.exposing.lock().unwrap_or_else(PoisonError::into_inner);
        self.in_flight.reset();
        self.cooling.reset();
        for account in &live.accounts {
            let gauge = |vec: &IntGaugeVec, value: i64| {
                vec.with_label_values(&[account.name()]).set(value);
            };
            gauge(&self.in_flight, i64::from(account.channel.in_flight()));
            gauge(
                &self.cooling,
                i64::from(router.cooling(&account.channel).is_some()),
            );
        }
        self.memories
            .set(i64::try_from(router.memories()).unwrap_or(i64::MAX));
        let (stats, table) = (router.stats(), &self.table);
        for (counter, now) in [
            (&table.hits, stats.hits),
            (&table.misses, stats.misses),
            (&table.probes, stats.probes),
            (&table.insertions, stats.insertions),
            (&table.renewals, stats.renewals),
            (&table.evictions, stats.evictions),
            (&table.expiries, stats.expiries),
        ] {
            counter.inc_by(now.saturating_sub(counter.get()));
        }
        TextEncoder::new()
            .encode_to_string(&self.registry.gather())
            .unwrap_or_default()
    }
}

fn register<C: prometheus::core::Collector + Clone + 'static>(registry: &Registry, metric: C) -> C {
    registry
        .register(Box::new(metric.clone()))
        .expect("each metric has its own name");
    metric
}

fn observe(vec: &HistogramVec, labels: &[&str], took: Duration) {
    vec.with_label_values(labels).observe(took.as_secs_f64());
}

/// A source's name in metrics, logs and `x-affinity-source`.
pub(super) const fn source_name(source: Source) -> &'static str {
    match source {
        Source::Session { remembered: true } => "session",
        Source::Session { remembered: false } => "session-new",
        Source::Memory { .. } => "memory",
        Source::Opener => "opener",
        _ => "none",
    }
}

/// Why a home was demoted, in metrics and logs.
pub(super) const fn demoted_name(demoted: Demoted) -> &'static str {
    match demoted {
        Demoted::Cooling => "cooling",
        Demoted::OverLoad => "over-load",
        _ => "other",
    }
}
