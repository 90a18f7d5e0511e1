//! Waiting: how soon the next look comes, and when a wait is given up.

use super::{Look, Stand, Told, WHOLE, later, pass};
use domain::{
    codes::ErrorCode,
    states::{Stage, WaitingOn},
};
use engine::plan::{End, Plan, Step, Wait};
use jiff::SignedDuration;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_role_that_spreads_is_asked_again_at_growing_intervals_up_to_a_minute() {
    let stand = Stand::of(WHOLE).await;
    let told = Told::new(Stage::ControlPlane, [later(WaitingOn::Aws)]);
    let mut longest = 2;
    for look in 0..10 {
        let wait = stand.tick(&told).await.unwrap().wait_seconds;
        assert!(wait * 2 >= longest && wait <= longest, "look {look}: {wait} of {longest}");
        longest = (longest * 2).min(60);
        pass(wait.into()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_a_throttled_read_breaks_into_goes_on_with_its_deadline() {
    let stand = Stand::of(WHOLE).await;
    let nodes = || {
        let wait = Wait { deadline: Some(SignedDuration::from_hours(1)), ..Wait::new(WaitingOn::Nodes, "they launch") };
        Look::Sees(Plan { steps: vec![Step::Wait(wait)], end: End::Done(json!({})) })
    };
    let looks = [nodes(), later(WaitingOn::Throttled), later(WaitingOn::Throttled), nodes()];
    let told = Told::new(Stage::ControlPlane, looks);
    stand.tick(&told).await.unwrap();
    let before = stand.now().await.waiting.unwrap();
    for _ in 0..3 {
        pass(600).await;
        stand.tick(&told).await.unwrap();
    }
    let after = stand.now().await.waiting.unwrap();
    assert_eq!((after.on, after.since, after.deadline), (WaitingOn::Nodes, before.since, before.deadline));
    pass(1800).await;
    assert_eq!(stand.tick(&told).await.unwrap_err().code, ErrorCode::DeadlineExceeded);
}

/// A plan that waits for `subject`.
fn waiting_for(subject: &str, deadline: SignedDuration) -> Look {
    let wait = Wait::new(WaitingOn::Nodes, format!("{subject} comes up")).of(subject);
    let wait = Wait { deadline: Some(deadline), ..wait };
    Look::Sees(Plan { steps: vec![Step::Wait(wait)], end: End::Done(json!({})) })
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_something_else_begins_with_its_own_pace_and_deadline() {
    let stand = Stand::of(WHOLE).await;
    let (launch, join) = (
        || waiting_for("launch", SignedDuration::from_hours(1)),
        || waiting_for("join", SignedDuration::from_hours(1)),
    );
    let told = Told::new(Stage::ControlPlane, [launch(), launch(), join()]);
    assert_eq!(stand.tick(&told).await.unwrap().wait_seconds, 5);
    pass(1800).await;
    assert_eq!(
        stand.tick(&told).await.unwrap().wait_seconds,
        20,
        "the longer it lasts, the less often it is looked at"
    );
    pass(1700).await;
    assert_eq!(stand.tick(&told).await.unwrap().wait_seconds, 5);
    let waiting = stand.now().await.waiting.unwrap();
    assert_eq!(waiting.deadline.duration_since(stand.product.account.now()), SignedDuration::from_hours(1));
}

#[tokio::test(start_paused = true)]
async fn waits_that_alternate_come_to_their_deadlines_and_time_spent_otherwise_does_not_count() {
    let stand = Stand::of(WHOLE).await;
    let hour = SignedDuration::from_hours(1);
    let once = |subject| Told::new(Stage::ControlPlane, [waiting_for(subject, hour)]);
    let begin = stand.product.account.now();
    let ended = loop {
        let mut ended = None;
        for subject in ["capacity", "launch"] {
            match stand.tick(&once(subject)).await {
                Ok(answer) => pass(answer.wait_seconds.into()).await,
                Err(failure) => ended = Some(failure),
            }
        }
        if let Some(failure) = ended {
            break failure;
        }
    };
    assert_eq!(ended.code, ErrorCode::DeadlineExceeded);
    let took = stand.product.account.now().duration_since(begin);
    assert!(took >= hour * 2 - SignedDuration::from_mins(5) && took < hour * 3, "each of the two had its hour: {took}");
}
