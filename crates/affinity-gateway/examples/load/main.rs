//! Load on loopback: what the gateway adds to a call, with affinity and without.
//!
//! `cargo build --release && cargo run --release -p affinity-gateway --example load`
//!
//! An upstream that answers at once, the program `affinity serve` as a process of its own, and
//! clients that send growing conversations. Four ways are measured in turn, short round after
//! short round and every other round backwards, so that a noisy moment hits all of them: straight
//! to the upstream; through the gateway with round robin, as a call in which it looks for the model
//! only, and as a conversation; through the gateway with affinity. Then many streams at once.
//! docs/load.md quotes a run.

mod client;
mod gateway;
mod report;
mod upstream;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use affinity_sim::http::agents::{Api, Said, Shape};
use anyhow::{Context, ensure};
use bytes::Bytes;
use clap::Parser;

use client::Target;
use gateway::Gateway;
use report::{Report, Way};
use upstream::Upstream;

#[derive(Debug, Parser)]
struct Args {
    /// The program under load [default: beside this one]
    #[arg(long)]
    affinity: Option<PathBuf>,

    /// Length of each measurement
    #[arg(long, default_value_t = 250)]
    milliseconds: u64,

    /// Times that each measurement is repeated; the median counts
    #[arg(long, default_value_t = 60)]
    rounds: usize,

    /// Connections of the throughput measurement; latency is measured on one
    #[arg(long, default_value_t = 16)]
    connections: usize,

    /// Mean size of a request's body
    #[arg(long, default_value_t = 20_000)]
    body_bytes: usize,

    /// Streams open at once
    #[arg(long, default_value_t = 1000)]
    streams: usize,

    /// Times that all streams are opened
    #[arg(long, default_value_t = 8)]
    waves: usize,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure(&args))
}

async fn measure(args: &Args) -> anyhow::Result<()> {
    let program = match &args.affinity {
        Some(path) => path.clone(),
        None => beside_this_one()?,
    };
    let upstreams = [Upstream::start().await?, Upstream::start().await?];
    let off = Gateway::start(&program, "round-robin", &upstreams).await?;
    let on = Gateway::start(&program, "affinity", &upstreams).await?;
    let bodies = Arc::new(bodies(args.body_bytes));
    let mut ways = [
        (Way::Direct, upstreams[0].address(), None),
        (Way::Through, off.address(), Some(&off)),
        (Way::Off, off.address(), Some(&off)),
        (Way::On, on.address(), Some(&on)),
    ];
    let span = Duration::from_millis(args.milliseconds);
    let mut report = Report::new(&bodies);
    for round in 0..=args.rounds {
        for (way, address, gateway) in ways {
            let target = Target {
                address,
                path: way.path(),
                bodies: Arc::clone(&bodies),
            };
            let lone = client::closed_loop(&target, 1, span / 2).await?;
            let before = gateway.map(Gateway::cpu).transpose()?;
            let many = client::closed_loop(&target, args.connections, span).await?;
            let after = gateway.map(Gateway::cpu).transpose()?;
            let cpu = before.zip(after).map(|(before, after)| after - before);
            // The first round warms up caches, pools and the table.
            if round > 0 {
                report.add(way, &lone, &many, cpu);
            }
        }
        // Whoever comes after another finds the machine as that one left it.
        ways.reverse();
    }
    println!("{report}");
    streams(args, &bodies, &on).await
}

/// Opens all streams at once, again and again, and watches the gateway's descriptors and memory.
async fn streams(args: &Args, bodies: &Arc<Vec<Bytes>>, on: &Gateway) -> anyhow::Result<()> {
    let target = Target {
        address: on.address(),
        path: upstream::STREAM_PATH,
        bodies: Arc::clone(bodies),
    };
    println!("{} streams at once\n", args.streams);
    println!("| wave | whole | descriptors during, after | resident MiB during, after |");
    println!("|---|---|---|---|");
    for wave in 1..=args.waves {
        let watch = async {
            tokio::time::sleep(upstream::STREAM / 2).await;
            on.usage()
        };
        let (whole, during) = tokio::join!(client::streams(&target, args.streams), watch);
        ensure!(
            whole == args.streams,
            "{} streams broke",
            args.streams - whole
        );
        let (open, resident) = during?;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (open_after, resident_after) = on.usage()?;
        println!(
            "| {wave} | {whole} | {open}, {open_after} | {resident:.1}, {resident_after:.1} |"
        );
    }
    Ok(())
}

/// Bodies of 32 conversations, 16 turns each, turn by turn as a real mixture would arrive.
fn bodies(mean: usize) -> Vec<Bytes> {
    // A quarter of the mean body is the shared system prompt, a twelfth of it the opener; 15
    // rounds bring the rest, of which the mean body has half.
    let tokens = mean / 4;
    let shape = Shape {
        conversations: 64,
        arrivals: Duration::ZERO,
        requests: 16..=16,
        think: Duration::ZERO,
        system_tokens: tokens / 4,
        opener_tokens: tokens / 12,
        round_tokens: tokens / 13,
        seed: 1,
    };
    let mut talks = shape.conversations();
    talks.retain(|talk| talk.api() == Api::Chat);
    let mut bodies = Vec::new();
    for _ in 0..16 {
        for talk in &mut talks {
            bodies.push(Bytes::from(talk.body()));
            talk.answer(&Said::Text("done".into()));
        }
    }
    bodies
}

fn beside_this_one() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let directory = own.parent().and_then(|examples| examples.parent());
    let program = directory
        .context("this program has no directory")?
        .join("affinity");
    ensure!(
        program.exists(),
        "{} is missing: cargo build --release first",
        program.display()
    );
    Ok(program)
}
