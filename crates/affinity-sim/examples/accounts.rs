//! Simulated accounts for tests in other languages: prints one line of JSON with their addresses,
//! and runs until standard input ends.
//!
//! `cargo run -p affinity-sim --features http --example accounts -- 3`

use std::time::Duration;

use affinity_sim::http::{Account, Control, Latency, Options};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let count = std::env::args()
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(3);
    let mut accounts = Vec::new();
    for number in 1..=count {
        let mut options = Options::named(format!("account-{number}"));
        options.key = Some(format!("sk-account-{number}"));
        options.seed = number;
        options.latency = Latency {
            base: Duration::from_millis(1),
            per_uncached_token: Duration::from_micros(2),
            per_output_token: Duration::from_millis(1),
        };
        accounts.push(Account::start(options).await?);
    }
    let control = Control::start(accounts, 0).await?;
    let accounts: Vec<_> = control
        .accounts()
        .iter()
        .map(
            |account| serde_json::json!({ "name": account.name(), "base_url": account.base_url() }),
        )
        .collect();
    println!(
        "{}",
        serde_json::json!({ "control": control.base_url(), "accounts": accounts })
    );
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()))
        .await??;
    Ok(())
}
