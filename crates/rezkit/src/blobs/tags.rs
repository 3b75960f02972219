//! `Tags`: names with a zero byte between them.

use bstr::{BString, ByteSlice};

use crate::error::{Error, ErrorKind, Result};

/// The names, in order.
pub fn from_slice(bytes: &[u8]) -> Vec<BString> {
    if bytes.is_empty() { Vec::new() } else { bytes.split_str(b"\0").map(BString::from).collect() }
}

/// The bytes of names.
///
/// # Errors
/// Where a name has a zero byte, or where there is one name and it is empty: this would read as no name.
pub fn to_vec(tags: &[BString]) -> Result<Vec<u8>> {
    let wrong = |what| Err(Error::new(ErrorKind::Unwritable, what));
    if tags.iter().any(|tag| tag.contains(&0)) {
        return wrong("a tag with a zero byte");
    }
    if matches!(tags, [only] if only.is_empty()) {
        return wrong("a single tag without a name");
    }
    Ok(bstr::join(b"\0", tags))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of rbx-dom's `models/tags`.
    #[test]
    fn tags_of_a_real_file() {
        let bytes = b"Cool\0My\0Tags";
        let tags = from_slice(bytes);
        assert_eq!(tags, ["Cool", "My", "Tags"]);
        assert_eq!(to_vec(&tags).expect("written"), bytes);
        assert_eq!(from_slice(b""), Vec::<BString>::new());
        assert!(to_vec(&["a\0b".into()]).is_err() && to_vec(&["".into()]).is_err());
    }
}
