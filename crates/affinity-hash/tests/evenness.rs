//! Sequential keys and identities, which weak mixers spread unevenly, against chi-square.

use affinity_hash::Candidates;

/// How far `counts` are from even, in standard deviations (Wilson and Hilferty).
fn z(counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let square = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    let chi_square: f64 = counts.iter().map(square).sum();
    let freedom = counts.len() as f64 - 1.0;
    let spread = 2.0 / (9.0 * freedom);
    ((chi_square / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

#[test]
fn first_and_second_choices_of_sequential_keys_are_even() {
    for n in [3, 10, 64] {
        let candidates = Candidates::new((1..=n).map(|i| format!("acct-{i}")));
        let mut firsts = vec![0; n];
        let mut pairs = vec![0; n * n];
        for key in 1..=120_000 {
            let first = candidates.first::<2>(&format!("s-{key}"));
            let [first, second] = first[..] else {
                panic!("two of {n}")
            };
            firsts[first] += 1;
            pairs[first * n + second] += 1;
        }
        // No candidate is its own second choice.
        let pairs: Vec<u32> = (0..n * n)
            .filter(|i| i % (n + 1) != 0)
            .map(|i| pairs[i])
            .collect();
        let (first, pair) = (z(&firsts), z(&pairs));
        assert!(
            first < 4.0 && pair < 4.0,
            "{n} candidates: z {first} and {pair}"
        );
    }
}

#[test]
fn raw_sequential_numbers_are_even_too() {
    for n in [3, 10, 64] {
        let candidates = Candidates::new((1..=n).map(|i| format!("acct-{i}")));
        let mut firsts = vec![0; n];
        for key in 0..120_000u64 {
            firsts[candidates.pick(key).expect("a candidate")] += 1;
        }
        assert!(z(&firsts) < 4.0, "{n} candidates: z {}", z(&firsts));
    }
}
