//! Accepting a request: record, idempotency key and lane in one transaction, then the execution.

use crate::{
    context::Context,
    fitting,
    preview::blank,
    record::{Cluster, Operation, Principal, SCHEMA, StageRecord},
    starter::Starter,
    store::{
        Condition, KeyUse, Lane, Store, TagPointer, Transaction, Written,
        keys::{IndexKey, Key},
    },
    tick::ending::{audit, audit_key},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    ids::OperationId,
    limits::OPERATION_RECORD,
    states::{OperationState, Stage, StageState},
};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// How long an idempotency key is remembered.
const KEY_LIFE: SignedDuration = SignedDuration::from_hours(24 * 30);

/// Most bytes of a request, and of the cluster's record with its decisions: what is told in records needs the rest.
const INPUT_BYTES: usize = OPERATION_RECORD * 3 / 8;

/// What a request does to the cluster's own record.
#[derive(Debug, Clone, PartialEq)]
pub enum ClusterWrite {
    /// It makes one; the tag must be free.
    New(Cluster),
    /// It decides something; the record as read, with the decision in it.
    Decide(Cluster),
    /// Nothing.
    Keep(Cluster),
}

/// A validated request.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// The descriptor's name.
    pub kind: &'static str,
    /// What it does to the cluster's record.
    pub cluster: ClusterWrite,
    /// Who asks.
    pub principal: Principal,
    /// The body, as validated.
    pub input: Value,
    /// The caller's idempotency key, if there is one.
    pub idempotency_key: Option<String>,
    /// Which state machine runs it.
    pub machine: &'static str,
    /// The stages that it runs, first and last; none for an operation beside the stages.
    pub stages: Option<(Stage, Stage)>,
    /// Scope of the lane that it needs.
    pub lane: &'static str,
    /// Whether a person has to approve it first: it is destructive, and who asks may not approve.
    pub needs_approval: bool,
}

/// An accepted request.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// Its operation.
    pub operation: Operation,
    /// Whether it was there before this request and goes on.
    pub already_running: bool,
}

/// A request that was not accepted; nothing was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{failure}")]
pub struct Refused {
    /// Why.
    pub failure: Failure,
    /// The operation that is in the way.
    pub operation_id: Option<OperationId>,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { failure, operation_id: None }
    }
}

impl From<Trouble> for Refused {
    fn from(trouble: Trouble) -> Self {
        trouble.failure().clone().into()
    }
}

/// Accepts requests.
#[derive(Debug, Clone)]
pub struct Desk {
    /// Clock and chance.
    pub context: Context,
    /// The table.
    pub store: Store,
    /// The state machines.
    pub starter: Starter,
}

impl Desk {
    /// Records `submission` and starts it. Safe to repeat: the same key at any time, or the same content while it runs, is
    /// the same operation.
    ///
    /// # Errors
    /// `idempotency_mismatch`, `operation_in_progress`, `conflict` (tag in use), or `upstream_unavailable` if the table
    /// did not answer; in all cases but the last nothing was written, and after the last the same request with the same
    /// key finds out.
    pub async fn submit(&self, submission: Submission) -> Result<Accepted, Refused> {
        let hash = digest(&submission);
        fits(&submission)?;
        for _ in 0..2 {
            if let Some(accepted) = self.by_key(&submission, &hash).await? {
                return Ok(accepted);
            }
            let operation = self.operation(&submission, &hash);
            let written = self.store.write(self.transaction(&submission, &operation)).await;
            let went_through = match written {
                Ok(Written::Done) => true,
                Ok(Written::Refused(_)) => self.is_ours(&operation).await?,
                Err(Trouble::Uncertain(failure)) if !self.is_ours(&operation).await? => return Err(failure.into()),
                Err(Trouble::Uncertain(_)) => true,
                Err(trouble) => return Err(trouble.into()),
            };
            if went_through {
                self.start(&operation).await;
                return Ok(Accepted { operation, already_running: false });
            }
            if let Some(accepted) = self.in_the_way(&submission, &operation, &hash).await? {
                return Ok(accepted);
            }
        }
        let text = "the cluster changed while the request was recorded; nothing was written";
        Err(Failure::new(ErrorCode::Conflict, text).with_action("Send the request again.").into())
    }

    /// The operation that `submission` is already: by its key, or by its content while it holds what is asked for. For
    /// those who check a request before they submit it; nothing is written.
    ///
    /// # Errors
    /// What [`submit`](Self::submit) would refuse with, as far as it can be known beforehand.
    pub async fn recall(&self, submission: &Submission) -> Result<Option<Accepted>, Refused> {
        let hash = digest(submission);
        match self.by_key(submission, &hash).await? {
            Some(accepted) => Ok(Some(accepted)),
            None => self.in_the_way(submission, &self.operation(submission, &hash), &hash).await,
        }
    }

    /// Starts what is recorded, or has it planned if a person must approve it first. A start that fails is made up for by
    /// a replay of the request or by the sweep.
    pub(crate) async fn start(&self, operation: &Operation) {
        let started = match operation.state {
            OperationState::AwaitingApproval => self.starter.start_plan(operation).await,
            _ => self.starter.start(operation).await,
        };
        if let Err(trouble) = started {
            tracing::warn!(operation.id = %operation.id, error = %trouble, "the sweep will start this operation");
        }
    }

    async fn by_key(&self, submission: &Submission, hash: &str) -> Result<Option<Accepted>, Refused> {
        let Some(key) = &submission.idempotency_key else { return Ok(None) };
        let Some(used) = self.store.key_use(&submission.principal.id, key).await? else { return Ok(None) };
        if used.input_hash != hash {
            let text = "this idempotency key was used for another request";
            let failure = Failure::new(ErrorCode::IdempotencyMismatch, text)
                .with_action("Use a new key for a new request, or repeat the first request unchanged.");
            return Err(Refused { failure, operation_id: Some(used.operation_id) });
        }
        Ok(self.replay(used.operation_id).await?)
    }

    /// The operation `id` for a caller who asks for it again; one that was never started is started now.
    async fn replay(&self, id: OperationId) -> Result<Option<Accepted>, Trouble> {
        let Some(operation) = self.store.operation(id).await? else { return Ok(None) };
        if matches!(operation.state, OperationState::Accepted | OperationState::AwaitingApproval) {
            self.start(&operation).await;
        }
        let already_running = !operation.is_terminal();
        Ok(Some(Accepted { operation, already_running }))
    }

    async fn is_ours(&self, operation: &Operation) -> Result<bool, Trouble> {
        let stored = self.store.operation(operation.id).await?;
        Ok(stored.is_some_and(|stored| stored.nonce == operation.nonce || stored.version > operation.version))
    }

    /// Why the transaction was refused: an operation in the way, or the same request already there.
    async fn in_the_way(
        &self,
        submission: &Submission,
        operation: &Operation,
        hash: &str,
    ) -> Result<Option<Accepted>, Refused> {
        if let ClusterWrite::New(cluster) = &submission.cluster {
            let Some(there) = self.store.cluster_by_tag(&cluster.tag).await? else {
                let manager = self.store.manager_of(cluster).await?;
                return manager.map_or(Ok(None), |manager| Err(managed_already(cluster, &manager)));
            };
            let first = self.store.operation(there.first_operation).await?.filter(|first| first.input_hash == hash);
            return match first {
                Some(first) if !first.is_terminal() => Ok(self.replay(first.id).await?),
                same => Err(tag_in_use(&there, same.as_ref())),
            };
        }
        let mut lane = self.store.lane(operation.cluster_id, &operation.lane).await?;
        if operation.needs_approval && lane.as_ref().is_none_or(|lane| lane.input_hash != hash) {
            lane = self.store.lane(operation.cluster_id, &operation.held()).await?;
        }
        let Some(lane) = lane else { return Ok(None) };
        if lane.input_hash == hash {
            return Ok(self.replay(lane.operation_id).await?);
        }
        let failure = Failure::new(
            ErrorCode::OperationInProgress,
            format!("{} is being changed by {} ({})", operation.cluster_tag, lane.operation_id, lane.kind),
        )
        .with_action("Wait for that operation, or cancel it, then ask again.");
        Err(Refused { failure, operation_id: Some(lane.operation_id) })
    }

    pub(crate) fn operation(&self, submission: &Submission, hash: &str) -> Operation {
        let cluster = submission.cluster.record();
        let now = self.context.now();
        let id = match &submission.cluster {
            ClusterWrite::New(cluster) => cluster.first_operation,
            ClusterWrite::Decide(_) | ClusterWrite::Keep(_) => self.context.operation_id(),
        };
        Operation {
            schema: SCHEMA,
            id,
            kind: submission.kind.to_owned(),
            cluster_id: cluster.id,
            cluster_tag: cluster.tag.clone(),
            principal: submission.principal.clone(),
            input: submission.input.clone(),
            input_hash: hash.to_owned(),
            machine: submission.machine.to_owned(),
            first_stage: submission.stages.map(|stages| stages.0),
            last_stage: submission.stages.map(|stages| stages.1),
            stage: submission.stages.map(|stages| stages.0),
            lane: submission.lane.to_owned(),
            needs_approval: submission.needs_approval,
            state: Operation::begins_as(submission.needs_approval),
            attempt: 1,
            began_at: None,
            waiting: None,
            interrupted: None,
            waits: Vec::new(),
            looks: 0,
            cancel_requested: false,
            failure: None,
            left: Vec::new(),
            outcome: Value::Null,
            journal_length: 0,
            remaining: 0,
            ledger: Default::default(),
            lease: None,
            version: 1,
            nonce: self.context.nonce(),
            created_at: now,
            updated_at: now,
            finished_at: None,
        }
    }

    fn transaction(&self, submission: &Submission, operation: &Operation) -> Transaction {
        let id = operation.id;
        let now = self.context.now();
        let mention = serde_json::json!({ "operationId": id.to_string() });
        let mut transaction = Transaction::new()
            .put_indexed(&Key::operation(id), Some(IndexKey::operations(id)), operation, &Condition::Absent)
            .put(&Key::operation_of(operation.cluster_id, id), &mention, &Condition::Any)
            .put_indexed(
                &Key::lane(operation.cluster_id, &operation.held()),
                Some(IndexKey::open(id)),
                &lane(operation),
                &Condition::Absent,
            )
            .put(&audit_key(operation, now, "accepted"), &audit(operation, now, "accepted"), &Condition::Any);
        if operation.needs_approval {
            let plan = blank(operation, submission.cluster.record(), None);
            transaction = transaction.put(&Key::plan(id), &plan, &Condition::Absent);
        }
        if let Some(key) = &submission.idempotency_key {
            let ttl = now.saturating_add(KEY_LIFE).map_or(i64::MAX, |end| end.as_second());
            let used = KeyUse { operation_id: id, input_hash: operation.input_hash.clone(), ttl };
            transaction = transaction.put(&Key::idempotency(&operation.principal.id, key), &used, &Condition::Absent);
        }
        submission.cluster.add_to(transaction)
    }
}

/// The refusal of a tag that `there` has; `same` is the operation that was asked for this very cluster and has ended.
fn tag_in_use(there: &Cluster, same: Option<&Operation>) -> Refused {
    let (tag, id) = (&there.tag, there.first_operation);
    let text = match same {
        Some(same) => format!("the tag {tag} is in use: this cluster was asked for before ({id}, {})", same.state),
        None => format!("the tag {tag} is in use by another cluster"),
    };
    let action = match same.map(|same| same.state) {
        None => "Choose another tag, or continue the cluster that has it.".to_owned(),
        Some(OperationState::Succeeded) => {
            format!("See get_cluster with {tag}; run_stage runs a stage again. Choose another tag for another cluster.")
        }
        Some(_) => format!("Call retry_operation with {id}, which goes on with it; what was made is kept."),
    };
    Refused { failure: Failure::new(ErrorCode::Conflict, text).with_action(action), operation_id: Some(id) }
}

/// The refusal of a second cluster over the EKS cluster that `manager` manages: each would undo what the other does.
pub fn managed_already(cluster: &Cluster, manager: &Cluster) -> Refused {
    let text = format!("the EKS cluster {} is managed here as {}", cluster.eks_name(), manager.tag);
    let action = format!("Use get_cluster with the tag {}.", manager.tag);
    let failure = Failure::new(ErrorCode::Conflict, text).with_action(action);
    Refused { failure, operation_id: Some(manager.first_operation) }
}

/// Refuses what is too large to be kept in records with all that is still to be told in them.
fn fits(submission: &Submission) -> Result<(), Refused> {
    let bytes = fitting::bytes(&submission.input).max(fitting::bytes(submission.cluster.record()));
    if bytes <= INPUT_BYTES {
        return Ok(());
    }
    let text = format!("the request is {bytes} bytes large once it is validated; at most {INPUT_BYTES} can be kept");
    Err(Failure::new(ErrorCode::PayloadTooLarge, text).with_action("Ask for less at a time.").into())
}

/// The lane item of `operation`.
pub(crate) fn lane(operation: &Operation) -> Lane {
    Lane { operation_id: operation.id, kind: operation.kind.clone(), input_hash: operation.input_hash.clone() }
}

impl ClusterWrite {
    /// The record as it will be.
    pub fn record(&self) -> &Cluster {
        match self {
            Self::New(cluster) | Self::Decide(cluster) | Self::Keep(cluster) => cluster,
        }
    }

    fn add_to(&self, transaction: Transaction) -> Transaction {
        let cluster = self.record();
        let index = Some(IndexKey::clusters(&cluster.tag, cluster.id));
        match self {
            Self::Keep(_) => transaction,
            Self::New(_) => {
                let first =
                    StageRecord { version: 1, state: StageState::Pending, ..StageRecord::pending(Stage::ControlPlane) };
                let pointer = TagPointer { cluster_id: cluster.id };
                transaction
                    .put(&Key::tag(&cluster.tag), &pointer, &Condition::Absent)
                    .put(&Key::eks_cluster(cluster), &pointer, &Condition::Absent)
                    .put_indexed(&Key::cluster(cluster.id), index, cluster, &Condition::Absent)
                    .put_stage(cluster.id, &first, &Condition::Absent)
            }
            Self::Decide(_) => {
                let decided = Cluster { version: cluster.version + 1, ..cluster.clone() };
                let before = Condition::Version(cluster.version);
                transaction.put_indexed(&Key::cluster(cluster.id), index, &decided, &before)
            }
        }
    }
}

/// What makes two requests the same: kind, cluster and body.
pub(crate) fn digest(submission: &Submission) -> String {
    let tag = submission.cluster.record().tag.as_str();
    let body = submission.input.to_string();
    hex::encode(Sha256::digest(format!("{}\n{tag}\n{body}", submission.kind)))
}
