//! The secret of a deployment.

use core::fmt;
use core::hash::Hasher as _;

use siphasher::sip::SipHasher13;

/// What the check value is the pseudo-random function of. It ends in a byte that is no kind of
/// link, so no chain has this input.
const CHECK: &[u8] = b"affinity key check";

/// A 128-bit secret under which nobody outside can make two conversations collide.
///
/// One key for the deployment: replicas with different keys disagree about everything, which
/// [`check_value`](Self::check_value) makes visible. Draw it from the system's random source; a
/// key derived from a smaller number is no key. `Debug` shows none of it.
///
/// ```
/// use affinity_hash::Key;
///
/// let key = Key::from_hex("000102030405060708090a0b0c0d0e0f")?;
/// assert_eq!(key.check_value(), Key::new(core::array::from_fn(|i| i as u8)).check_value());
/// assert_ne!(key.check_value(), Key::new([7; 16]).check_value());
/// assert_eq!(format!("{key:?}"), "Key(..)");
/// # Ok::<(), affinity_hash::KeyError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Key([u8; 16]);

impl Key {
    /// A key of these 16 bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Reads a key from exactly 32 hexadecimal digits, of either case.
    ///
    /// # Errors
    ///
    /// [`KeyError::Length`] if there are not 32 bytes of text, [`KeyError::Digit`] at the first
    /// byte that is not a hexadecimal digit. Neither shows any of the text.
    pub fn from_hex(hex: &str) -> Result<Self, KeyError> {
        let hex = hex.as_bytes();
        if hex.len() != 32 {
            return Err(KeyError::Length { found: hex.len() });
        }
        let mut bytes = [0; 16];
        for (at, &byte) in hex.iter().enumerate() {
            let digit = char::from(byte)
                .to_digit(16)
                .ok_or(KeyError::Digit { at })?;
            bytes[at / 2] = bytes[at / 2] << 4 | digit as u8;
        }
        Ok(Self(bytes))
    }

    /// Four bytes that tell whether two replicas have the same key, and nothing else about it:
    /// safe to log and to compare at start-up. Two different keys share them once in 2^32.
    #[must_use]
    pub fn check_value(&self) -> [u8; 4] {
        let mut prf = self.prf();
        prf.write(CHECK);
        let [a, b, c, d, ..] = prf.finish().to_le_bytes();
        [a, b, c, d]
    }

    pub(crate) fn prf(&self) -> SipHasher13 {
        SipHasher13::new_with_key(&self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Why a text is not a [`Key`]. Shows nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The text does not have 32 bytes.
    Length {
        /// Bytes of the text.
        found: usize,
    },
    /// A byte of the text is no hexadecimal digit.
    Digit {
        /// Its offset, from 0.
        at: usize,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found } => {
                write!(
                    f,
                    "a key has 32 hexadecimal digits, this text {found} bytes"
                )
            }
            Self::Digit { at } => write!(f, "no hexadecimal digit at byte {at} of the key"),
        }
    }
}

impl core::error::Error for KeyError {}
