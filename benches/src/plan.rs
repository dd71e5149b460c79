//! For how long each criterion bench measures. The benches include this file by its path, so that only they
//! depend on criterion.

use std::time::Duration;

use criterion::Criterion;

/// Short enough that all benches together end within 15 minutes.
pub(crate) fn plan(measurement: Duration) -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(measurement / 4)
        .measurement_time(measurement)
        .without_plots()
}
