//! What prompt tokens cost, as multiples of the price of an uncached one.

use affinity_sim::http::agents::{Api, Tokens};

/// Price multipliers of one provider.
struct Prices {
    cached: f64,
    written: f64,
}

/// GPT-5 models charge a tenth for cached input and nothing for the write; older models charge
/// 0.25 to 0.5 (<https://platform.openai.com/docs/pricing>).
const OPENAI: Prices = Prices {
    cached: 0.1,
    written: 1.0,
};

/// Reads cost a tenth, five-minute writes a quarter more
/// (<https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching#pricing>).
const ANTHROPIC: Prices = Prices {
    cached: 0.1,
    written: 1.25,
};

/// The cost of a prompt in uncached tokens.
pub(super) fn cost(api: Api, tokens: &Tokens) -> f64 {
    let prices = match api {
        Api::Chat => OPENAI,
        Api::Messages => ANTHROPIC,
    };
    let plain = tokens.prompt - tokens.cached - tokens.written;
    plain as f64 + tokens.cached as f64 * prices.cached + tokens.written as f64 * prices.written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_cost_a_tenth_and_anthropic_writes_a_quarter_more() {
        let tokens = Tokens {
            prompt: 1000,
            cached: 600,
            written: 300,
        };
        assert!((cost(Api::Messages, &tokens) - (100.0 + 60.0 + 375.0)).abs() < 1e-9);
        assert!((cost(Api::Chat, &tokens) - (100.0 + 60.0 + 300.0)).abs() < 1e-9);
    }
}
