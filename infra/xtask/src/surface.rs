//! `cargo xtask generate surface`: what the outside sees of the surfaces, as committed files.
//!
//! Written from the descriptors alone; a test of this crate holds the committed files against what would be written.

use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Writes `web/openapi.json` and `skills/tools.json`.
pub(crate) fn generate() -> Result<()> {
    for (path, text) in files()? {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn files() -> Result<[(PathBuf, String); 2]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tools = serde_json::to_string_pretty(&::surface::tools::document())?;
    tools.push('\n');
    Ok([(root.join("web/openapi.json"), ::surface::openapi::text()), (root.join("skills/tools.json"), tools)])
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn the_committed_files_are_what_the_descriptors_say() {
        for (path, text) in files().unwrap() {
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == text, "{} is old: run cargo xtask generate surface", path.display());
        }
    }
}
