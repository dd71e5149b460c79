//! How far a long replay has come, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar over all requests of all policies, on stderr; gone when dropped.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Shows nothing when stderr is no terminal.
    pub(super) fn new(steps: usize) -> Self {
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}")
            .expect("the template is valid");
        Self(ProgressBar::new(steps as u64).with_style(style))
    }

    /// Says what runs now.
    pub(super) fn now(&self, what: &'static str) {
        self.0.set_message(what);
    }

    /// One request is done.
    pub(super) fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
