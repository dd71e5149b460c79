//! JSON text, pulled piece by piece: no tree, no allocation, no recursion of its own except over
//! values that nobody wants.

mod number;
mod run;
mod scan;
mod text;

pub(crate) use number::{write_integer, write_number};
pub(crate) use scan::{Scan, Scanner};
