//! The state folder belongs to one product at a time: two would each write over what the other has kept.

use anyhow::{Context as _, Result, bail};
use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

/// The file that is locked as long as a product uses the folder. The system frees it however the process ends.
const LOCK: &str = "lock";

/// The right to use a state folder, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    _file: File,
}

/// Takes `state`, and makes it if it is not there.
///
/// # Errors
/// If it cannot be written, or another product has it.
pub(crate) fn hold(state: &Path) -> Result<Held> {
    let shown = state.display();
    let unusable = || format!("{shown} cannot be the state folder; choose another with --state");
    fs::create_dir_all(state).with_context(unusable)?;
    let file = File::options().create(true).append(true).open(state.join(LOCK)).with_context(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(Held { _file: file }),
        Err(TryLockError::WouldBlock) => {
            bail!("another product is running on {shown}; end it, or choose another folder with --state")
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(unusable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_once_and_free_again_when_its_holder_ends() {
        let folder = std::env::temp_dir().join(format!("gateway-test-held-{}", std::process::id()));
        let first = hold(&folder).unwrap();
        let refused = hold(&folder).unwrap_err().to_string();
        assert!(refused.contains("another product") && refused.contains(&*folder.to_string_lossy()), "{refused}");
        drop(first);
        hold(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_a_folder_is_refused_with_its_name() {
        let file = std::env::temp_dir().join(format!("gateway-test-no-folder-{}", std::process::id()));
        fs::write(&file, "a file").unwrap();
        let refused = format!("{:#}", hold(&file).unwrap_err());
        assert!(refused.contains("--state") && refused.contains(&*file.to_string_lossy()), "{refused}");
        fs::remove_file(&file).unwrap();
    }
}
