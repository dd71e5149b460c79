//! JSON text, pulled piece by piece: no tree, no allocation, no recursion of its own except over
//! values that nobody wants.

mod escape;
mod number;
mod scan;
mod sink;
mod stops;
mod text;

pub(crate) use number::{write_integer, write_number};
pub(crate) use scan::{Scan, Scanner};
pub(crate) use sink::Sink;
pub(crate) use stops::Stops;
