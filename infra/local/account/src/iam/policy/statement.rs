//! One statement of a policy, ready to be asked.

use super::{
    condition::Condition,
    pattern,
    question::{Context, Principal, Question, Verdict},
};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statement {
    pub(super) allows: bool,
    pub(super) principals: Option<Listed<Named>>,
    pub(super) actions: Listed<String>,
    pub(super) resources: Option<Listed<String>>,
    pub(super) conditions: Vec<Condition>,
}

/// An element and its `Not` form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed<T> {
    pub(super) not: bool,
    pub(super) values: Vec<T>,
}

/// A principal as a document names it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Named {
    Anyone,
    Service(String),
    Federated(String),
    /// The account itself, by its id or root ARN.
    Account(String),
    /// A user, role or session.
    Arn(String),
}

impl Statement {
    /// What it says to `question`; `variables` as in [`Condition::holds`].
    pub(super) fn verdict(&self, question: &Question, variables: Option<&Context>) -> Verdict {
        let action = |wanted: &String| pattern::matches_without_case(wanted, question.action, variables);
        let resource = |wanted: &String| pattern::matches(wanted, question.resource, variables);
        let applies = self.actions.apply(action)
            && self.resources.as_ref().is_none_or(|resources| resources.apply(resource))
            && self.conditions.iter().all(|condition| condition.holds(question.context, variables));
        if !applies {
            return Verdict::Silent;
        }
        let reach = self.reach(question.principal);
        if self.allows || reach == Verdict::Silent { reach } else { Verdict::Denied }
    }

    /// Whom the statement speaks of: not this principal, its account as a whole, or itself.
    fn reach(&self, principal: Option<&Principal>) -> Verdict {
        let Some(listed) = &self.principals else { return Verdict::Allowed };
        let Some(principal) = principal else { return Verdict::Silent };
        let reach = listed.values.iter().map(|named| named.reach(principal)).max().unwrap_or(Verdict::Silent);
        match (listed.not, reach) {
            (false, reach) => reach,
            (true, Verdict::Silent) => Verdict::Allowed,
            (true, _) => Verdict::Silent,
        }
    }
}

impl<T> Listed<T> {
    fn apply(&self, matches: impl Fn(&T) -> bool) -> bool {
        self.values.iter().any(matches) != self.not
    }
}

impl Named {
    fn reach(&self, principal: &Principal) -> Verdict {
        match (self, principal) {
            (Self::Anyone, _) => Verdict::Allowed,
            (Self::Service(named), Principal::Service(service)) if named == service => Verdict::Allowed,
            (Self::Federated(named), Principal::Federated(provider)) if named == provider => Verdict::Allowed,
            (Self::Arn(named), Principal::Aws { arns, .. }) if arns.contains(named) => Verdict::Allowed,
            (Self::Account(named), Principal::Aws { account, .. }) if named == account => Verdict::AllowedForAccount,
            _ => Verdict::Silent,
        }
    }
}
