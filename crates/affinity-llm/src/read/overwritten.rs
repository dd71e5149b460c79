//! Members that a later one of the same name overwrites.
//!
//! What a member does to a reader cannot be taken back once it is read. But no client's JSON
//! library writes a name twice, so bodies are read as if none did; where one is met all the same,
//! they are read once more, without the members that are found here. That costs as much whatever
//! the body is: one look at every key, one sorting of each object's keys, one more reading.

use crate::json::{Scan, Scanner, Sink};

#[derive(Default)]
pub(crate) struct Overwritten {
    /// Where their keys are in the body, in order; `u32` as bodies are at most
    /// [`MAX_BODY`](crate::MAX_BODY). Empty while a body is read for the first time.
    places: Vec<u32>,
    /// The keys of the objects that are being looked at.
    keys: Vec<Key>,
    /// What these keys say.
    names: Sink,
}

struct Key {
    start: u32,
    end: u32,
    place: u32,
}

impl Overwritten {
    /// Whether the object has another member, not counting those that are overwritten; the scanner
    /// stands at its key then.
    #[inline(always)]
    pub(super) fn member(&self, scan: &mut Scanner<'_>, first: &mut bool) -> Scan<bool> {
        while scan.member(first)? {
            if self.places.is_empty() || !self.is_at(scan.at()) {
                return Ok(true);
            }
            scan.skip()?;
            scan.take(b':')?;
            scan.skip()?;
        }
        Ok(false)
    }

    #[cold]
    fn is_at(&self, at: usize) -> bool {
        self.places.binary_search(&(at as u32)).is_ok()
    }

    /// Finds those of a whole body: whether there are any.
    pub(super) fn find(&mut self, mut body: Scanner<'_>) -> Scan<bool> {
        self.value(&mut body)?;
        self.places.sort_unstable();
        Ok(!self.places.is_empty())
    }

    fn value(&mut self, scan: &mut Scanner<'_>) -> Scan<()> {
        match scan.peek()? {
            b'{' => self.object(scan),
            b'[' => {
                scan.open(b'[')?;
                let mut first = true;
                while scan.element(&mut first)? {
                    self.value(scan)?;
                }
                Ok(())
            }
            _ => scan.skip(),
        }
    }

    fn object(&mut self, scan: &mut Scanner<'_>) -> Scan<()> {
        let (keys, names) = (self.keys.len(), self.names.len());
        scan.open(b'{')?;
        let mut first = true;
        while scan.member(&mut first)? {
            let (place, start) = (scan.at() as u32, self.names.len() as u32);
            scan.string(&mut self.names)?;
            let end = self.names.len() as u32;
            self.keys.push(Key { start, end, place });
            scan.take(b':')?;
            self.value(scan)?;
        }
        let said = |key: &Key| &self.names[key.start as usize..key.end as usize];
        let ours = &mut self.keys[keys..];
        ours.sort_unstable_by(|a, b| said(a).cmp(said(b)).then(a.place.cmp(&b.place)));
        let again = ours.windows(2).filter(|two| said(&two[0]) == said(&two[1]));
        self.places.extend(again.map(|two| two[0].place));
        self.keys.truncate(keys);
        self.names.truncate(names);
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.keys.clear();
        self.names.clear();
    }

    pub(super) fn shrink_to(&mut self, bytes: usize) {
        self.clear();
        self.places.shrink_to(bytes / size_of::<u32>());
        self.keys.shrink_to(bytes / size_of::<Key>());
        self.names.shrink_to(bytes);
    }
}
