//! Where the models come from: one pinned botocore from PyPI, kept in the user's cache folder.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The botocore release whose models are distilled.
pub(super) const VERSION: &str = "1.44.8";

/// The folder with one sub-folder per service; downloads it unless the cache has it.
pub(super) fn botocore_data() -> Result<PathBuf> {
    let folder = cache_folder()?.join(format!("botocore-{VERSION}"));
    let data = folder.join("botocore/data");
    if !data.is_dir() {
        let status = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"])
            .args(["--root-user-action", "ignore", "--upgrade", "--target"])
            .arg(&folder)
            .arg(format!("botocore=={VERSION}"))
            .status()
            .context("cannot start python3")?;
        ensure!(status.success(), "pip could not install botocore {VERSION}: {status}");
    }
    Ok(data)
}

/// The newest model file `name` of a service, parsed; `{}` for paginators that do not exist.
pub(super) fn read(data: &Path, folder: &str, name: &str) -> Result<Value> {
    let folder = data.join(folder);
    let mut versions: Vec<_> = fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    versions.sort();
    let newest = versions.pop().with_context(|| format!("no version in {}", folder.display()))?;
    let (plain, packed) = (newest.join(format!("{name}.json")), newest.join(format!("{name}.json.gz")));
    let text = if plain.is_file() {
        fs::read(&plain)?
    } else if packed.is_file() {
        unpacked(&packed)?
    } else if name == "service-2" {
        bail!("no {name} in {}", newest.display());
    } else {
        return Ok(Value::Object(serde_json::Map::new()));
    };
    serde_json::from_slice(&text).with_context(|| format!("{name} of {}", newest.display()))
}

fn unpacked(path: &Path) -> Result<Vec<u8>> {
    let output = Command::new("gzip").arg("-dc").arg(path).output().context("cannot start gzip")?;
    ensure!(output.status.success(), "gzip could not unpack {}", path.display());
    Ok(output.stdout)
}

fn cache_folder() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?).join(".cache"),
    };
    Ok(base.join("hyperpod-instantstart"))
}
