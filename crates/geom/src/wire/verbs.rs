//! The functions that read and write a format.

/// Declares the functions that follow from `ReadOptions::read_within`, which takes the bytes and a budget, and from
/// `WriteOptions::write`: `verbs!(Mesh, "a mesh")`.
#[macro_export]
macro_rules! verbs {
    ($model:ident, $one:literal) => {
        #[doc = concat!("Reads ", $one, " with the default options.")]
        ///
        /// # Errors
        /// As [`ReadOptions::read`].
        pub fn from_slice(bytes: &[u8]) -> Result<$model> {
            ReadOptions::new().read(bytes)
        }

        #[doc = concat!("Reads ", $one, " from a reader, to its end, with the default options.")]
        ///
        /// # Errors
        /// As [`ReadOptions::read_from`].
        pub fn from_reader(reader: impl std::io::Read) -> Result<$model> {
            ReadOptions::new().read_from(reader)
        }

        #[doc = concat!("Writes ", $one, " in its original form; what no edit touched is unchanged.")]
        ///
        /// # Errors
        /// As [`WriteOptions::write`].
        pub fn to_vec(model: &$model) -> Result<Vec<u8>> {
            WriteOptions::new().write(model)
        }

        #[doc = concat!("Writes ", $one, " to a writer, as [`to_vec`].")]
        ///
        /// # Errors
        /// As [`WriteOptions::write_to`].
        pub fn to_writer(writer: impl std::io::Write, model: &$model) -> Result<()> {
            WriteOptions::new().write_to(writer, model)
        }

        impl ReadOptions {
            #[doc = concat!("Reads ", $one, " from a reader, to its end; the input counts towards `max_bytes`, too.")]
            ///
            /// # Errors
            /// As [`ReadOptions::read`], and if the reader fails.
            pub fn read_from(&self, reader: impl std::io::Read) -> Result<$model> {
                let mut budget = $crate::wire::Budget::new(self.max_bytes);
                let bytes = budget.read_all(reader)?;
                self.read_within(bytes.into(), &mut budget)
            }

            #[doc = concat!("Reads ", $one, ", and also returns how many bytes of `max_bytes` it used.")]
            ///
            /// # Errors
            /// As [`ReadOptions::read`].
            pub fn read_counted(&self, bytes: &[u8]) -> Result<($model, u64)> {
                let mut budget = $crate::wire::Budget::new(self.max_bytes);
                let model = self.read_within(bytes.into(), &mut budget)?;
                Ok((model, self.max_bytes - budget.left()))
            }
        }

        impl WriteOptions {
            #[doc = concat!("Writes ", $one, " to a writer.")]
            ///
            /// # Errors
            /// As [`WriteOptions::write`], and if the writer fails.
            pub fn write_to(&self, mut writer: impl std::io::Write, model: &$model) -> Result<()> {
                Ok(writer.write_all(&self.write(model)?)?)
            }
        }
    };
}

pub use verbs;
