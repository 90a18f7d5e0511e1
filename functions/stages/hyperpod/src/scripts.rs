//! The lifecycle scripts that nodes run: committed files, kept in the project bucket under their content's hash.
//!
//! A replaced node reads again what its group was made with, so nothing is ever overwritten: other contents are another
//! prefix.

use cloud::sagemaker::Lifecycle;
use domain::naming::{LIFECYCLE_ENTRY, script_prefix};

/// A set of scripts: file names and contents, the entry among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scripts(Vec<(String, Vec<u8>)>);

impl Scripts {
    /// The scripts of this release.
    pub fn ours() -> Self {
        let files: [(&str, &[u8]); 2] = [
            (LIFECYCLE_ENTRY, include_bytes!("../lifecycle/on_create.sh")),
            ("container_storage.sh", include_bytes!("../lifecycle/container_storage.sh")),
        ];
        Self(files.into_iter().map(|(name, content)| (name.to_owned(), content.to_vec())).collect())
    }

    /// Other scripts than this release's.
    ///
    /// # Errors
    /// A sentence that names the file, if the entry is missing or a file has carriage returns: bash would not run it
    /// (field report BR-041).
    pub fn of(files: Vec<(String, Vec<u8>)>) -> Result<Self, String> {
        if let Some((name, _)) = files.iter().find(|(_, content)| content.contains(&b'\r')) {
            return Err(format!("{name} has CRLF line ends; expected LF"));
        }
        if !files.iter().any(|(name, _)| name == LIFECYCLE_ENTRY) {
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
            return Err(format!("there is no {LIFECYCLE_ENTRY}, only {}", names.join(", ")));
        }
        Ok(Self(files))
    }

    /// The key prefix, by content.
    pub fn prefix(&self) -> String {
        let files: Vec<(&str, &[u8])> =
            self.0.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
        script_prefix(&files)
    }

    /// Every file by its name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, content)| (name.as_str(), content.as_slice()))
    }

    /// The key of a file in the bucket.
    pub fn key(&self, file: &str) -> String {
        format!("{}/{file}", self.prefix())
    }

    /// What a group is told.
    pub fn lifecycle(&self, bucket: &str) -> Lifecycle {
        Lifecycle { source: format!("s3://{bucket}/{}", self.prefix()), entry: LIFECYCLE_ENTRY.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_scripts_have_the_entry_and_unix_line_ends() {
        let files = Scripts::ours().0;
        assert_eq!(Scripts::of(files.clone()), Ok(Scripts(files)));
    }

    #[test]
    fn br_041_our_scripts_download_nothing() {
        for (name, content) in Scripts::ours().files() {
            let text = String::from_utf8(content.to_vec()).unwrap();
            for word in ["curl", "wget", "http:", "https:", "git clone", "pip ", "apt", "dnf", "yum", "aws s3"] {
                assert!(!text.contains(word), "{name} has {word}");
            }
        }
    }

    #[test]
    fn br_041_carriage_returns_and_a_missing_entry_are_refused_by_name() {
        let file = |name: &str, content: &[u8]| (name.to_owned(), content.to_vec());
        let crlf = Scripts::of(vec![file("on_create.sh", b"#!/bin/bash\r\n")]);
        assert!(crlf.unwrap_err().contains("on_create.sh has CRLF"));
        let misspelt = Scripts::of(vec![file("On_Create.sh", b"#!/bin/bash\n")]);
        assert!(misspelt.unwrap_err().contains("only On_Create.sh"));
    }

    #[test]
    fn other_contents_are_another_prefix() {
        let of = |text: &[u8]| Scripts::of(vec![("on_create.sh".to_owned(), text.to_vec())]).unwrap();
        assert_ne!(of(b"echo 1\n").prefix(), of(b"echo 2\n").prefix());
        assert_eq!(of(b"echo 1\n").prefix(), of(b"echo 1\n").prefix());
        assert_eq!(of(b"echo 1\n").key("on_create.sh"), format!("{}/on_create.sh", of(b"echo 1\n").prefix()));
    }
}
