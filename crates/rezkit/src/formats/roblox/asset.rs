//! The operations of both forms that consist of others, and documents as assets.

use rbxdocument::view::View as _;

use crate::exact::Model;
use crate::file_type::{Asset, FileType, equal};
use crate::options::WriteOptions;
use crate::tree::Node;
use rbxcore::Dom;
use rezkit_core::Result;

/// A document of one form, as a file.
pub(in super::super) trait File: rbxcore::Dom + Model {
    /// The kind of its files.
    const KIND: &'static FileType;

    /// The version of the format.
    fn form_version(&self) -> String;

    /// The bytes of the document.
    fn to_bytes(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// The findings of the format crate.
    fn findings(&self) -> Vec<crate::Finding>;
}

impl<D: File> Asset for D {
    fn file_type(&self) -> &'static FileType {
        D::KIND
    }

    fn version(&self) -> String {
        self.form_version()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        self.to_bytes(options)
    }

    fn describe(&self, options: &crate::ReadOptions) -> Vec<crate::Fact> {
        let mut facts = super::describe(self, self.shared_len());
        facts.extend(match super::has_animations(self) {
            true => {
                let budget = &mut rezkit_core::Budget::new(options.max_bytes);
                super::animations(rezkit_scene::roblox::animations(self, budget))
            }
            false => vec![crate::Fact::count("animations", 0)],
        });
        #[cfg(feature = "history")]
        facts.extend(super::client::facts(self, options.max_bytes));
        facts
    }

    fn tree(&self, options: &crate::ReadOptions) -> Box<dyn Node + '_> {
        Box::new(super::Root::new(self, options.max_bytes))
    }

    fn check(&self) -> Vec<crate::Finding> {
        let findings = self.findings();
        let document: &dyn Dom = self;
        let place = |path: &str| document.place_of(path);
        #[cfg(feature = "history")]
        let findings = findings.into_iter().filter(|finding| !super::client::is_history(finding));
        let placed = |mut finding: crate::Finding| {
            if let Some(path) = place(&finding.path) {
                finding.path = path;
            }
            finding.shortened()
        };
        findings.into_iter().map(placed).collect()
    }

    fn check_values(&self, max_bytes: u64) -> crate::Result<Vec<crate::Finding>> {
        super::found(rbxdocument::rules::values(self, max_bytes))
    }

    fn check_animations(&self, max_bytes: u64) -> crate::Result<Vec<crate::Finding>> {
        super::found(rbxdocument::rules::animations(self, max_bytes))
    }

    fn equals(&self, other: &dyn crate::file_type::Asset) -> bool {
        equal(self, other)
    }

    fn set(
        &mut self,
        path: &str,
        value: &str,
        kind: Option<&str>,
        options: &crate::ReadOptions,
    ) -> crate::Result<Vec<crate::Loss>> {
        super::set(self, path, value, kind, options)
    }

    fn files(
        &self,
        options: &crate::ReadOptions,
        extract: &crate::ExtractOptions,
    ) -> crate::Result<(Vec<crate::File>, Vec<crate::Loss>)> {
        let made = rbxproject::extract(self, &extract.clone().max_bytes(options.max_bytes))?;
        Ok((made.files, made.losses))
    }

    fn scripts(&self, options: &crate::ReadOptions) -> crate::Result<Vec<crate::Script>> {
        super::scripts(self, options)
    }

    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> crate::Result<usize> {
        Ok(rbxdocument::text::replace_texts(self, replace)?)
    }

    fn convert(
        &self,
        to: &str,
        options: &crate::ConvertOptions,
    ) -> crate::Result<crate::file_type::Converted> {
        super::form::other_form(self, to, options)
            .unwrap_or_else(|| Err(crate::file_type::no_conversion(self, to)))
    }

    fn scene(
        &self,
        _: &str,
        options: &crate::SceneOptions,
        sources: &mut dyn crate::Sources,
    ) -> crate::file_type::SceneAndLosses {
        rezkit_scene::roblox::from_document(self, options, sources)
    }

    fn animations(&self, max_bytes: u64) -> crate::file_type::Animations {
        let read = |budget: &mut crate::Budget| rezkit_scene::roblox::animations(self, budget);
        super::with_paths(self, read, max_bytes)
    }

    fn geometry(
        &self,
        kind: &crate::FileType,
        options: &crate::SceneOptions,
    ) -> crate::Result<(Vec<crate::File>, Vec<crate::Loss>)> {
        super::geometry(self, kind, options)
    }

    fn node_paths(&self, scene: &rezkit_scene::Scene, max_bytes: u64) -> crate::Result<Vec<Option<String>>> {
        super::node_paths(self, scene, max_bytes)
    }
}
