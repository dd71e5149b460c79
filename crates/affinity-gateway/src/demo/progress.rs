//! How far the demo has come, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar over the requests of both policies, on stderr; gone when dropped.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Shows nothing when stderr is no terminal.
    pub(super) fn new(requests: usize) -> Self {
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}")
            .expect("the template is valid");
        Self(ProgressBar::new(requests as u64).with_style(style))
    }

    /// One request is done; says the policy and its cached share so far.
    pub(super) fn step(&self, policy: &str, share: f64) {
        self.0.inc(1);
        let percent = 100.0 * share;
        self.0.set_message(format!(
            "{policy}: {percent:.0} % of prompt tokens from cache"
        ));
    }

    /// Prints a line above the bar.
    pub(super) fn note(&self, line: &str) {
        self.0.suspend(|| eprintln!("affinity: {line}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
