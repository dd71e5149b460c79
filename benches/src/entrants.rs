//! Who enters which contest: each work with everybody who can do it.

use crate::chains::{self, ChainHash, Prehashed};
use crate::orders::{self, Order};
use crate::peer::{self, Peer};
use crate::peers;
use crate::readers::{self, BodyReader};
use crate::works::{
    Body, Chains, Course, LARGE, Mix, Orders, Reading, Shape, Share, Take, Turn, Walk, WalkKind,
};

/// One peer at one work, not yet prepared.
pub struct Entrant {
    /// The peer's name.
    pub name: String,
    build: Box<dyn Fn() -> Box<dyn Course>>,
}

impl Entrant {
    fn new<C: Course + 'static>(name: impl Into<String>, build: impl Fn() -> C + 'static) -> Self {
        Self {
            name: name.into(),
            build: Box::new(move || Box::new(build())),
        }
    }

    /// Fills the table, warms it, checks the answers.
    pub fn prepare(&self) -> Box<dyn Course> {
        (self.build)()
    }
}

impl std::fmt::Debug for Entrant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entrant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A work for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableWork {
    /// 90 % recall, 10 % remember, or only remembers.
    Mix(Share),
    /// Recalls alone.
    Walk(WalkKind),
    /// Turns of this many live sessions, prehashed.
    Turn(usize),
}

impl TableWork {
    /// The works of the table itself, in the order of the report.
    pub const TABLE: [Self; 6] = [
        Self::Mix(Share::Tenth),
        Self::Walk(WalkKind::Hit),
        Self::Walk(WalkKind::SevenMissesAndHit),
        Self::Walk(WalkKind::TwentyMisses),
        Self::Walk(WalkKind::Hot),
        Self::Mix(Share::All),
    ];

    /// The name in tables, plots and JSON.
    pub fn name(self) -> String {
        match self {
            Self::Mix(Share::Tenth) => "90/10 mix".into(),
            Self::Mix(Share::All) => "evicting remember".into(),
            Self::Walk(WalkKind::Hit) => "recall hit".into(),
            Self::Walk(WalkKind::SevenMissesAndHit) => "7 misses and a hit".into(),
            Self::Walk(WalkKind::TwentyMisses) => "20 misses".into(),
            Self::Walk(WalkKind::Hot) => "one hot fingerprint".into(),
            Self::Turn(sessions) if sessions < 1_000_000 => {
                format!("turn, prehashed, {}k sessions", sessions / 1000)
            }
            Self::Turn(sessions) => format!("turn, prehashed, {}M sessions", sessions / 1_000_000),
        }
    }
}

/// Every table at one work: the work alone first, then ours, then the peers.
pub fn tables(work: TableWork, threads: usize) -> Vec<Entrant> {
    let mut visit = Tables {
        work,
        threads,
        entrants: Vec::new(),
    };
    peers::visit_floor(&mut visit);
    match work {
        // Hundreds of bytes for each of nine million memories: only who can hold them.
        TableWork::Turn(1_000_000..) => peers::visit_keepers(&mut visit),
        _ => peers::visit(&mut visit),
    }
    visit.entrants
}

struct Tables {
    work: TableWork,
    threads: usize,
    entrants: Vec<Entrant>,
}

impl peer::Visitor for Tables {
    fn visit<P: Peer + 'static>(&mut self) {
        let threads = self.threads;
        self.entrants.push(match self.work {
            TableWork::Mix(share) => Entrant::new(P::NAME, move || Mix::<P>::new(threads, share)),
            TableWork::Walk(kind) => Entrant::new(P::NAME, move || Walk::<P>::new(threads, kind)),
            TableWork::Turn(sessions) => Entrant::new(P::NAME, move || {
                Turn::<P, Prehashed>::new(threads, sessions, None)
            }),
        });
    }
}

/// Turns from bytes: our chain with our table, then the chains and tables a user would join.
pub fn turns_from_bytes(shape: Shape, threads: usize) -> Vec<Entrant> {
    // Both fill the table far beyond the caches' first level; long sessions are fewer.
    let sessions = if shape == LARGE { 1000 } else { 10_000 };
    let mut visit = Pairs {
        sessions,
        shape,
        threads,
        entrants: Vec::new(),
    };
    visit.pair::<chains::ReadFloor, peers::NoTable>();
    visit.pair::<chains::Public, peers::OursAt>();
    visit.pair::<chains::Public, peers::Ours>();
    visit.pair::<chains::Keyed, peers::OursAt>();
    visit.pair::<chains::SipHash, peers::DashMapByHand>();
    #[cfg(feature = "peers")]
    {
        visit.pair::<chains::Xxh3, peers::DashMapByHand>();
        visit.pair::<chains::TwoxXxh3, peers::DashMapByHand>();
        visit.pair::<chains::Xxh3, peers::SccHashMap>();
        visit.pair::<chains::Xxh3, peers::PapayaByHand>();
        visit.pair::<chains::Xxh3, peers::QuickCache>();
        visit.pair::<chains::Xxh3, peers::CachedLruTtl>();
        visit.pair::<chains::Xxh3, peers::MokaLru>();
        visit.pair::<chains::Sha256Chain, peers::OneMutex>();
    }
    #[cfg(feature = "routers")]
    if threads == 1 {
        use crate::works::{Tree, TreeTurn};
        fn tree<T: Tree + 'static>(shape: Shape) -> Entrant {
            Entrant::new(T::NAME, move || TreeTurn::<T>::new(shape))
        }
        visit.entrants.push(tree::<kv_index::StringTree>(shape));
        visit.entrants.push(tree::<kv_index::TokenTree>(shape));
    }
    visit.entrants
}

struct Pairs {
    sessions: usize,
    shape: Shape,
    threads: usize,
    entrants: Vec<Entrant>,
}

impl Pairs {
    fn pair<H: ChainHash + 'static, P: Peer + 'static>(&mut self) {
        let (sessions, shape, threads) = (self.sessions, self.shape, self.threads);
        let name = format!("{} + {}", H::NAME, P::NAME);
        let build = move || Turn::<P, H>::new(threads, sessions, Some(shape));
        self.entrants.push(Entrant::new(name, build));
    }
}

/// Every chain over requests of one shape; reading alone first.
pub fn chains_of(shape: Shape) -> Vec<Entrant> {
    struct Visit(Shape, Vec<Entrant>);
    impl chains::Visitor for Visit {
        fn visit<H: ChainHash + 'static>(&mut self) {
            let shape = self.0;
            self.1
                .push(Entrant::new(H::NAME, move || Chains::<H>::new(shape)));
        }
    }
    let mut visit = Visit(shape, Vec::new());
    chains::visit(&mut visit);
    visit.1
}

/// Every reader of one body; what none avoids first.
pub fn readers_of(body: Body) -> Vec<Entrant> {
    fn reader<R: BodyReader + 'static>(body: Body) -> Entrant {
        Entrant::new(R::NAME, move || Reading::<R>::new(body))
    }
    vec![
        reader::<readers::Floor>(body),
        reader::<readers::Ours>(body),
        reader::<readers::SerdeJson>(body),
        #[cfg(feature = "peers")]
        reader::<readers::SonicRs>(body),
    ]
}

/// Every order of `n` candidates; only those who take weights, if weighted.
pub fn orders_of(n: usize, weighted: bool, take: Take) -> Vec<Entrant> {
    struct Visit(usize, bool, Take, Vec<Entrant>);
    impl orders::Visitor for Visit {
        fn visit<O: Order + 'static>(&mut self) {
            let Self(n, weighted, take, ref mut entrants) = *self;
            if O::WEIGHTED || !weighted {
                let build = move || Orders::<O>::new(n, weighted, take);
                entrants.push(Entrant::new(O::NAME, build));
            }
        }
    }
    let mut visit = Visit(n, weighted, take, Vec::new());
    orders::visit(&mut visit);
    visit.3
}
