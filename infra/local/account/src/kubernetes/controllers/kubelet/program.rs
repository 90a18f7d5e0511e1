//! What runs in containers: a few words of shell, and for everything else time.

use super::mounts;
use crate::kubernetes::{Cluster, Host, object};
use jiff::SignedDuration;
use serde_json::Value;

/// How much of a container's output is kept, in bytes.
pub(super) const LONGEST_LOG: usize = 64 * 1024;

/// How a program went.
pub(super) struct Outcome {
    /// None if it runs for ever.
    pub(super) lasts: Option<SignedDuration>,
    pub(super) exit: i64,
    pub(super) output: String,
}

/// Runs the program of `container`.
pub(super) fn run(cluster: &Cluster, host: &dyn Host, pod: &Value, container: &Value, is_init: bool) -> Outcome {
    let parts = ["/command", "/args"].into_iter();
    let words: Vec<&str> = parts.flat_map(|part| object::list(container, part)).filter_map(Value::as_str).collect();
    if let Some(commands) = commands(&words) {
        return interpret(cluster, host, (pod, container), &commands);
    }
    let serves = !is_init && object::text(pod, "/spec/restartPolicy") == "Always";
    let label = format!("program {} {}", object::uid(pod), object::text(container, "/name"));
    Outcome { lasts: (!serves).then(|| host.draw(&label, 3..20)), exit: 0, output: String::new() }
}

/// The commands of a program, if each is one that is known.
fn commands(words: &[&str]) -> Option<Vec<Vec<String>>> {
    let commands: Vec<Vec<String>> = match words {
        [] => return None,
        ["sh" | "/bin/sh" | "bash" | "/bin/bash", "-c", script] => {
            let bare = |word: &str| word.trim_matches(['\'', '"']).to_owned();
            script.split("&&").map(|part| part.split_whitespace().map(bare).collect()).collect()
        }
        words => vec![words.iter().map(|word| (*word).to_owned()).collect()],
    };
    let known = |command: &Vec<String>| {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        matches!(words[..], ["cat" | "ls" | "sleep", _] | ["true" | "false"])
    };
    commands.iter().all(known).then_some(commands)
}

fn interpret(cluster: &Cluster, host: &dyn Host, at: (&Value, &Value), commands: &[Vec<String>]) -> Outcome {
    let mut outcome = Outcome { lasts: Some(SignedDuration::from_secs(1)), exit: 0, output: String::new() };
    for command in commands {
        let (name, word) = (command[0].as_str(), command.get(1).map_or("", String::as_str));
        let answer = match name {
            "true" => Ok(String::new()),
            "false" => Err(String::new()),
            "sleep" if word == "infinity" => {
                outcome.lasts = None;
                return outcome;
            }
            "sleep" => {
                let seconds = word.trim_end_matches('s').parse().unwrap_or(0);
                outcome.lasts = outcome.lasts.map(|lasts| lasts.saturating_add(SignedDuration::from_secs(seconds)));
                Ok(String::new())
            }
            _ => file(cluster, host, at, name, word),
        };
        match answer {
            Ok(text) => outcome.output.push_str(&text),
            Err(text) => {
                if !text.is_empty() {
                    outcome.output.push_str(&format!("{name}: {text}\n"));
                }
                outcome.exit = 1;
                return outcome;
            }
        }
    }
    outcome
}

fn file(
    cluster: &Cluster,
    host: &dyn Host,
    (pod, container): (&Value, &Value),
    name: &str,
    path: &str,
) -> Result<String, String> {
    let found = mounts::under(cluster, pod, container, path);
    let (mounted, below) = found.ok_or_else(|| format!("{path}: No such file or directory"))?;
    if name == "cat" {
        let content = host.read(&mounted.attributes, &mounted.options, &below)?;
        return Ok(String::from_utf8_lossy(&content).into_owned());
    }
    let names = host.list(&mounted.attributes, &mounted.options, &below)?;
    Ok(names.into_iter().map(|name| name + "\n").collect())
}
