//! Options of conversions.

/// The source of values that the binary form requires for all instances of a class and that some lack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// There is no source: a missing value is an error.
    Refuse,
    /// The neutral value: zero or empty; for flags, enum items, strings and 64-bit integers the class's default, if it
    /// is known. Geometry, colours, identifiers and content have no neutral value: if one is missing, that is an error.
    Neutral,
    /// The default of Roblox's class database, and the neutral one if it has none.
    #[default]
    Defaults,
}

geom::wire::options! {
    /// Options of [`to_binary`](crate::convert::to_binary) and [`to_xml`](crate::convert::to_xml).
    ConvertOptions {
        /// The number of bytes that the result may allocate: 1 GiB by default.
        max_bytes: u64 = geom::wire::DEFAULT_MAX_BYTES;
        /// Drop and list what the other form cannot represent, instead of refusing.
        allow_loss: bool = false;
        /// The source of values that the other form requires and the document lacks. They are listed.
        fill: Fill = Fill::Defaults;
    }
}
