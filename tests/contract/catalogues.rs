//! Two catalogues of instance types, the product's and the simulated account's, against each other. They are kept apart on
//! purpose: an error in one of them would be nobody's error if both sides of every test rested on it.

use account::catalogue::{InstanceType, instance_type, instance_types};
use domain::catalogue::{self, AcceleratorKind, Arch, Hardware};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What the product knows of a type. Fields are named one by one, so that a new one does not compile before it is compared
/// here or is said to be the product's alone.
fn of_product(hardware: &Hardware) -> Value {
    let Hardware {
        instance_type,
        vcpus,
        memory_mib,
        arch,
        accelerator,
        efa_interfaces,
        network_cards,
        ipv4_per_eni,
        node_ips,
        max_pods,
        nvme_gb,
        training_plan,
        // EC2 does not tell these.
        mig_profiles: _,
        unverified: _,
    } = hardware;
    let accelerator =
        accelerator.as_ref().map(|catalogue::Accelerator { kind, name, count, cores_each, memory_mib_each }| {
            let kind = match kind {
                AcceleratorKind::Gpu => "gpu",
                AcceleratorKind::Neuron => "neuron",
            };
            json!([kind, name, count, cores_each, memory_mib_each])
        });
    let arch = match arch {
        Arch::X86 => "x86_64",
        Arch::Arm64 => "arm64",
    };
    json!({
        "type": instance_type.as_str(), "vcpus": vcpus, "memory": memory_mib, "arch": arch, "accelerator": accelerator,
        "efaInterfaces": efa_interfaces, "networkCards": network_cards, "ipv4PerInterface": ipv4_per_eni,
        "nodeAddresses": node_ips, "maxPods": max_pods, "nvme": nvme_gb, "trainingPlan": training_plan,
    })
}

/// The same of the account. A type without local disks has none, or none that are known.
fn of_account(one: &InstanceType) -> Value {
    let InstanceType {
        name,
        vcpus,
        memory_mib,
        arch,
        accelerator,
        efa_interfaces,
        network_cards,
        // The product asks for no more interfaces than there are network cards.
        max_enis: _,
        ipv4_per_eni,
        node_ips,
        max_pods,
        nvme_gb,
        training_plan,
    } = one;
    let accelerator = accelerator.as_ref().map(
        |account::catalogue::Accelerator { kind, name, count, memory_mib_each, cores_each }| {
            json!([kind, name, count, cores_each, memory_mib_each])
        },
    );
    json!({
        "type": name, "vcpus": vcpus, "memory": memory_mib, "arch": arch, "accelerator": accelerator,
        "efaInterfaces": efa_interfaces, "networkCards": network_cards, "ipv4PerInterface": ipv4_per_eni,
        "nodeAddresses": node_ips, "maxPods": max_pods, "nvme": nvme_gb.unwrap_or(0), "trainingPlan": training_plan,
    })
}

/// Each field in which the two differ, with both values.
fn differences(product: &Hardware, account: &InstanceType) -> Vec<String> {
    let (ours, theirs) = (of_product(product), of_account(account));
    let fields: BTreeSet<&String> = [&ours, &theirs].iter().flat_map(|side| side.as_object().unwrap().keys()).collect();
    let differ = fields.into_iter().filter(|field| ours[*field] != theirs[*field]);
    let name = &product.instance_type;
    differ
        .map(|field| format!("{name}: {field} is {} in the product, {} in the account", ours[field], theirs[field]))
        .collect()
}

#[test]
fn both_catalogues_have_the_same_types_and_agree_in_every_field_of_both() {
    let (ours, theirs): (BTreeSet<&str>, BTreeSet<&str>) = (
        catalogue::all().map(|one| one.instance_type.as_str()).collect(),
        instance_types().iter().map(|one| one.name.as_str()).collect(),
    );
    assert_eq!(ours, theirs);
    assert!(ours.len() > 200, "{}", ours.len());
    let pairs = catalogue::all().map(|one| (one, instance_type(one.instance_type.as_str()).unwrap()));
    let differing: Vec<String> = pairs.flat_map(|(ours, theirs)| differences(ours, theirs)).collect();
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn an_error_in_either_catalogue_is_told_by_type_and_field() {
    let (ours, theirs) =
        (catalogue::hardware(&"ml.trn1.32xlarge".parse().unwrap()).unwrap(), instance_type("trn1.32xlarge"));
    let theirs = theirs.unwrap();
    let wrong = Hardware { efa_interfaces: ours.efa_interfaces + 1, ..ours.clone() };
    let told = differences(&wrong, theirs);
    assert!(told.len() == 1 && told[0].starts_with("ml.trn1.32xlarge: efaInterfaces is "), "{told:?}");
    let mut wrong = theirs.clone();
    wrong.accelerator.as_mut().unwrap().cores_each = None;
    assert!(differences(ours, &wrong).iter().all(|one| one.contains("accelerator")));
    assert_eq!(differences(ours, &wrong).len(), 1);
}
