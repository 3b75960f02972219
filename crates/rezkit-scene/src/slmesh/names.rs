//! The joint names that a list gives.

use std::collections::HashMap;

use rezkit_core::plain::shorten;
use rezkit_core::{Error, Result};
use slmesh::joints;

use crate::model::Scene;

/// The avatar's names for the joints of a rig.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JointNames(HashMap<String, &'static str>);

impl JointNames {
    /// Reads a text with one joint per line: its name, `=` or a tab, and the name of the avatar's joint. Lines that
    /// begin with `#` are skipped.
    ///
    /// ```
    /// use rezkit_scene::slmesh::JointNames;
    ///
    /// assert!(JointNames::new("# my rig\nBip01 Pelvis = mPelvis\nBip01 Spine\tmTorso\n").is_ok());
    /// let error = JointNames::new("a = mThirdArm").unwrap_err();
    /// assert!(error.to_string().contains("the avatar has no joint \"mThirdArm\"") && error.path() == "line 1");
    /// ```
    ///
    /// # Errors
    /// If a line has another form, a name occurs twice, or the avatar does not have the joint.
    pub fn new(text: &str) -> Result<Self> {
        let mut names = HashMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            if line.starts_with('#') {
                continue;
            }
            let wrong = |what: String| Error::argument(what).at(format!("line {number}"));
            let (name, own) = line.split_once('\t').or_else(|| line.rsplit_once('=')).map_or_else(
                || Err(wrong(format!("expected `name = mJoint`, found {line:?}"))),
                |(name, own)| Ok((name.trim(), own.trim())),
            )?;
            let joint = joints::find(own).ok_or_else(|| wrong(format!("the avatar has no joint {own:?}")))?;
            if names.insert(name.to_owned(), joint.name).is_some() {
                return Err(wrong(format!("the joint name {name:?} occurs a second time")));
            }
        }
        Ok(Self(names))
    }

    /// Renames the nodes of a scene to the avatar's names.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if no node has one of the names.
    pub fn rename(&self, scene: &mut Scene) -> Result<()> {
        let nodes = scene.nodes.iter_mut().filter_map(|node| Some((self.0.get(&node.name)?, node)));
        let renamed = nodes.map(|(own, node)| (*own).clone_into(&mut node.name));
        match renamed.count() {
            0 => {
                let joints = scene.joints();
                let channels = scene.channels();
                let nodes = joints.chain(channels.map(|channel| channel.node)).chain(0..scene.nodes.len());
                let mut names = nodes.filter_map(|node| Some(&*scene.nodes.get(node)?.name));
                let example = names.find(|name| !name.is_empty());
                let example =
                    example.map_or_else(String::new, |name| format!(", such as {:?}", shorten(name, 60)));
                Err(Error::argument(format!(
                    "no name on the left side of the joint list (option joints, --joints) is the name of a node of \
                     the file: use the names of its nodes{example}"
                )))
            }
            _ => Ok(()),
        }
    }
}
