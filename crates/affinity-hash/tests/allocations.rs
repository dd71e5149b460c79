//! Nothing allocates after construction.

use affinity_hash::{BoundedLoad, Candidates, ChainBuilder, Key, Scope, order_into, pick};
use allocation_counter::measure;

fn allocations(run: impl FnOnce()) -> u64 {
    measure(run).count_total
}

#[test]
fn a_warmed_chain_builder_does_not_allocate() {
    let entry = [b'x'; 3000];
    for scope in [Scope::public(), Scope::keyed(&Key::new([7; 16]))] {
        let mut builder = ChainBuilder::new();
        let mut request = || {
            builder.start(scope.tenant(b"tenant"));
            for len in 0..100 {
                builder.piece(&entry[..len]);
                builder.push(&entry[len..]);
            }
            assert_eq!(builder.links().len(), 100);
        };
        request();
        assert_eq!(allocations(request), 0);
    }
}

#[test]
fn ranking_does_not_allocate() {
    for n in [1, 8, 16, 17, 64, 65, 1000] {
        let identities: Vec<String> = (0..n).map(|i| format!("acct-{i}")).collect();
        let mut out = Vec::with_capacity(n);
        assert_eq!(allocations(|| order_into("s-1", &identities, &mut out)), 0);
        assert_eq!(
            allocations(|| assert!(pick("s-1", &identities).is_some())),
            0
        );

        let weights = (0..n as u32).map(|i| i % 4);
        let lists = [
            Candidates::new(&identities),
            Candidates::weighted(identities.iter().zip(weights)),
        ];
        for candidates in lists {
            let rank = || {
                candidates.order("s-1", &mut out);
                assert_eq!(candidates.pick("s-1"), Some(out[0]));
                assert_eq!(candidates.first::<3>("s-1")[0], out[0]);
                assert!(
                    candidates
                        .iter("s-1")
                        .take(9)
                        .eq(out.iter().copied().take(9))
                );
                let in_flight = [9; 8];
                BoundedLoad::default().apply(&mut out, &in_flight, None);
            };
            assert_eq!(allocations(rank), 0, "{n} candidates");
        }
    }
}
