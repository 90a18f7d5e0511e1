//! What `up` can be told. A crate of its own, so that `cargo xtask up` knows what is wrong before it builds the product.

use std::path::PathBuf;

/// How the local product is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// By how much AWS's durations are divided.
    pub speed: u32,
    /// Whether to forget what was kept.
    pub fresh: bool,
    /// Whether to leave out the two clusters that are there before us.
    pub empty: bool,
    /// Where the world is kept.
    pub state: PathBuf,
    /// Where the console's files are.
    pub console: Option<PathBuf>,
    /// Port of the product.
    pub port: u16,
    /// Port of the account.
    pub account_port: u16,
    /// Kubernetes endpoints are served from this port on.
    pub kubernetes_port: u16,
}

/// The file in the state folder that names the world which is kept there.
pub const CURRENT: &str = "current";

/// How the options are given.
pub const USAGE: &str = "\
options:
  --speed N          divide AWS's durations by N, 1 to 100000 (default 60; 1 is AWS's own pace)
  --fresh            forget the kept world and start anew
  --empty            a new world without the two clusters that are there before you
  --state DIR        where the world is kept (default .hyperpod-instantstart)
  --console DIR      the built console (default web/dist)
  --port N           the product's port (default 3099)
  --account-port N   the account's port (default 3100)
  --kubernetes-port N  the first cluster's Kubernetes port of a new world, counted up from there (default 3101)";

impl Options {
    /// Reads them from the command line.
    ///
    /// # Errors
    /// A sentence that names what is not right, followed by all options where it is one of them.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            speed: 60,
            fresh: false,
            empty: false,
            state: ".hyperpod-instantstart".into(),
            console: Some("web/dist".into()),
            port: 3099,
            account_port: 3100,
            kubernetes_port: 3101,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = |name: &str| arguments.next().ok_or_else(|| format!("{name} needs a value"));
            match argument.as_str() {
                "--fresh" => options.fresh = true,
                "--empty" => options.empty = true,
                "--speed" => options.speed = number("--speed", &value("--speed")?, 1..=100_000)?,
                "--state" => options.state = value("--state")?.into(),
                "--console" => options.console = Some(value("--console")?.into()),
                "--port" => options.port = number("--port", &value("--port")?, 1..=u16::MAX)?,
                "--account-port" => {
                    options.account_port = number("--account-port", &value("--account-port")?, 1..=u16::MAX)?
                }
                "--kubernetes-port" => {
                    options.kubernetes_port = number("--kubernetes-port", &value("--kubernetes-port")?, 1..=u16::MAX)?
                }
                other => return Err(format!("{other} is not an option\n\n{USAGE}")),
            }
        }
        if options.state.as_os_str().is_empty() {
            return Err("--state takes the name of a folder, not nothing".to_owned());
        }
        if options.empty && !options.fresh && options.keeps_a_world() {
            let state = options.state.display();
            let text = format!("--empty begins a new world, and {state} keeps one: add --fresh to forget it");
            return Err(text);
        }
        Ok(options)
    }

    /// Whether the state folder holds a world, which is gone on with unless `--fresh` says otherwise.
    pub fn keeps_a_world(&self) -> bool {
        self.state.join(CURRENT).exists()
    }
}

fn number<T>(name: &str, text: &str, range: std::ops::RangeInclusive<T>) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let wrong = || format!("{name} takes a whole number from {} to {}, not {text:?}", range.start(), range.end());
    text.parse().ok().filter(|number| range.contains(number)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_wrong_option_is_named_with_what_would_be_right() {
        assert_eq!(read("--speed 0").unwrap_err(), "--speed takes a whole number from 1 to 100000, not \"0\"");
        assert_eq!(read("--speed").unwrap_err(), "--speed needs a value");
        let nowhere = Options::read(["--state".to_owned(), String::new()]);
        assert_eq!(nowhere.unwrap_err(), "--state takes the name of a folder, not nothing");
        assert!(read("--quick").unwrap_err().starts_with("--quick is not an option\n\noptions:\n  --speed N"));
        assert_eq!(read("--speed 5 --fresh").map(|options| (options.speed, options.fresh)), Ok((5, true)));
    }

    #[test]
    fn an_empty_world_does_not_silently_take_the_place_of_a_kept_one() {
        let folder = std::env::temp_dir().join(format!("options-test-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let line = format!("--empty --state {}", folder.display());
        assert_eq!(read(&line).map(|options| options.empty), Ok(true), "nothing is kept yet");
        std::fs::write(folder.join(super::CURRENT), "1").unwrap();
        assert!(read(&line).unwrap_err().ends_with("add --fresh to forget it"));
        assert_eq!(read(&format!("{line} --fresh")).map(|options| options.fresh), Ok(true));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
