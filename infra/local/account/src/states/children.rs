//! Map and Parallel: threads below a thread.

use super::{
    advance::Run,
    definition::{Kind, Step},
    execution::{At, Branch, Item},
    failure::Failure,
};
use serde_json::{Value, json};

impl Run<'_> {
    /// Begins a Parallel state: every branch gets a copy of the input.
    pub(super) fn parallel(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        let input = self.arguments(step, branch)?;
        let start = |definition: &super::definition::Definition| {
            Branch::starting_at(&definition.start_at, input.clone(), branch.item.clone())
        };
        let branches: Vec<_> = step.branches.iter().map(start).collect();
        let limit = branches.len();
        self.record(branch, "ParallelStateStarted", Value::Null);
        branch.at = At::Children { branches, limit };
        Ok(())
    }

    /// Begins a Map state: an iteration for each item, its input given by ItemSelector.
    pub(super) fn map(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        let input = self.effective(step, branch)?;
        let found = match &step.items_path {
            Some(path) => self.value(path, &input, branch)?,
            None => input.clone(),
        };
        let Value::Array(items) = found else {
            let path = step.items_path.as_deref().unwrap_or("$");
            let cause = format!("Reference path \"{path}\" must point to array.");
            return Err(self.at_state(branch, "States.Runtime", &cause));
        };
        let given = match &step.max_concurrency_path {
            Some(path) => usize::try_from(self.seconds(path, "MaxConcurrencyPath", &input, branch)?.as_secs()).ok(),
            None => step.max_concurrency,
        };
        // 0 stands for as many as there is room for, which inline is 40.
        let limit = given.filter(|limit| *limit > 0).unwrap_or(40).min(40);
        let start_at = step.item_processor.as_ref().map(|inner| inner.start_at.as_str()).unwrap_or_default();
        let mut branches = Vec::with_capacity(items.len());
        for (index, value) in items.into_iter().enumerate() {
            let item = Some(Item { index, value: value.clone() });
            let selected = match step.item_selector.as_ref().or(step.parameters.as_ref()) {
                Some(template) => {
                    let outer = Branch { item: item.clone(), at: At::Enter, ..branch.clone() };
                    self.filled(template, &input, &outer)?
                }
                None => value,
            };
            branches.push(Branch::starting_at(start_at, selected, item));
        }
        self.record(branch, "MapStateStarted", json!({"length": branches.len()}));
        branch.at = At::Children { branches, limit };
        Ok(())
    }

    /// Takes all threads below on; false if they have to wait.
    pub(super) fn children(
        &mut self,
        step: &Step,
        branch: &mut Branch,
        mut branches: Vec<Branch>,
        limit: usize,
    ) -> Result<bool, Failure> {
        loop {
            let ended = branches.iter().filter(|child| has_ended(child)).count();
            if let Some(failure) = self.round(step, branch, &mut branches, limit) {
                return Err(self.children_failed(step, branch, &branches, failure));
            }
            let now = branches.iter().filter(|child| has_ended(child)).count();
            if self.is_full() || (now == ended && now < branches.len()) {
                branch.at = At::Children { branches, limit };
                return Ok(false);
            }
            if now == branches.len() {
                break;
            }
        }
        branch.last_event = branches.iter().map(|child| child.last_event).max().unwrap_or(branch.last_event);
        self.record(branch, &format!("{}StateSucceeded", step.kind.name()), Value::Null);
        let results = branches.into_iter().filter_map(|child| match child.at {
            At::Ended(Ok(result)) => Some(result),
            _ => None,
        });
        self.leave(step, branch, results.collect()).map(|()| true)
    }

    /// Takes each thread on once, starting new ones where there is room; the first failure ends the round.
    fn round(&mut self, step: &Step, parent: &Branch, branches: &mut [Branch], limit: usize) -> Option<Failure> {
        let mut running = branches.iter().filter(|child| child.last_event > 0 && !has_ended(child)).count();
        for (index, child) in branches.iter_mut().enumerate() {
            let definition = match step.kind {
                Kind::Map => step.item_processor.as_ref()?,
                _ => step.branches.get(index)?,
            };
            if has_ended(child) || (child.last_event == 0 && running >= limit) {
                continue;
            }
            if child.last_event == 0 {
                running += 1;
                child.last_event = parent.last_event;
                self.iteration(step, parent, child, index, "Started");
            }
            self.branch(definition, child);
            match &child.at {
                At::Ended(Ok(_)) => self.iteration(step, parent, child, index, "Succeeded"),
                At::Ended(Err(failure)) => {
                    let failure = failure.clone();
                    self.iteration(step, parent, child, index, "Failed");
                    return Some(failure);
                }
                _ => {}
            }
        }
        None
    }

    fn iteration(&mut self, step: &Step, parent: &Branch, child: &mut Branch, index: usize, what: &str) {
        if step.kind == Kind::Map {
            self.record(child, &format!("MapIteration{what}"), json!({"name": parent.state, "index": index}));
        }
    }

    /// Stops the other threads of a Map or Parallel of which one has failed.
    fn children_failed(&mut self, step: &Step, branch: &mut Branch, branches: &[Branch], failure: Failure) -> Failure {
        branch.last_event = branches.iter().map(|child| child.last_event).max().unwrap_or(branch.last_event);
        for (index, child) in branches.iter().enumerate().filter(|(_, child)| !has_ended(child) && child.last_event > 0)
        {
            for id in child.tasks() {
                self.world.states.tasks.remove(&id);
            }
            if step.kind == Kind::Map {
                let details = json!({"name": branch.state, "index": index});
                self.record(branch, "MapIterationAborted", details);
            }
        }
        self.record(branch, &format!("{}StateFailed", step.kind.name()), Value::Null);
        failure
    }
}

fn has_ended(child: &Branch) -> bool {
    matches!(child.at, At::Ended(_))
}
