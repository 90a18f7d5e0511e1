//! A cluster's own certificate authority, and what its API server shows to clients.
//!
//! Keys are derived from the world's seed, so that a forked or kept world goes on with the same authority. They protect
//! nothing but a simulation.

use super::cluster::cluster_by_arn;
use crate::world::World;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::{SignedDuration, Timestamp};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, SerialNumber, date_time_ymd,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const VALID: SignedDuration = SignedDuration::from_hours(24 * 365 * 10);

/// PKCS #8 wrapping of a 32-byte Ed25519 seed (RFC 8410, section 7).
const ED25519_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// An authority's certificate and the seed of its key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Authority {
    seed: String,
    certificate: String,
    made_at: Option<Timestamp>,
}

/// What a TLS server needs to be a cluster's endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServingIdentity {
    /// Leaf and authority, PEM.
    pub certificates: String,
    /// Private key of the leaf, PKCS #8 PEM.
    pub key: String,
}

/// Makes the authority of the cluster `arn`; none if a certificate cannot be written, which a valid clock rules out.
pub(super) fn authority(world: &World, arn: &str, id: &str, now: Timestamp) -> Option<Authority> {
    let label = format!("authority of {arn} {id}");
    let seed = hex::encode(Sha256::digest(format!("{}/{label}", world.seed)));
    let parameters = authority_parameters(now, world.hash(&label))?;
    let certificate = parameters.self_signed(&key(&seed, "authority")?).ok()?.pem();
    Some(Authority { seed, certificate, made_at: Some(now) })
}

/// `certificateAuthority.data`: base64 of the PEM.
pub(super) fn data(authority: &Authority) -> String {
    STANDARD.encode(&authority.certificate)
}

/// The certificate and key with which the endpoint of the cluster `arn` is served, good for its AWS host name,
/// `localhost` and `127.0.0.1`; none before it is served.
pub fn serving_identity(world: &World, arn: &str) -> Option<ServingIdentity> {
    let cluster = cluster_by_arn(world, arn)?;
    let authority = &cluster.authority;
    let now = authority.made_at?;
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "kubernetes.default.svc".to_owned()];
    names.extend(url::Url::parse(&cluster.endpoint).ok()?.host_str().map(str::to_owned));
    let mut leaf = CertificateParams::new(names).ok()?;
    leaf.distinguished_name.push(DnType::CommonName, "kube-apiserver");
    leaf.serial_number = Some(SerialNumber::from(world.hash(&format!("leaf of {arn}")) >> 1));
    validity(&mut leaf, now)?;
    let issuer = Issuer::new(authority_parameters(now, 0)?, key(&authority.seed, "authority")?);
    let leaf_key = key(&authority.seed, "leaf")?;
    let signed = leaf.signed_by(&leaf_key, &issuer).ok()?;
    Some(ServingIdentity {
        certificates: format!("{}{}", signed.pem(), authority.certificate),
        key: leaf_key.serialize_pem(),
    })
}

fn authority_parameters(now: Timestamp, serial: u64) -> Option<CertificateParams> {
    let mut parameters = CertificateParams::default();
    parameters.distinguished_name.remove(DnType::CommonName);
    parameters.distinguished_name.push(DnType::CommonName, "kubernetes");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign];
    parameters.serial_number = Some(SerialNumber::from(serial >> 1));
    validity(&mut parameters, now)?;
    Some(parameters)
}

/// From a day before, for clients whose clock is late.
fn validity(parameters: &mut CertificateParams, now: Timestamp) -> Option<()> {
    let from = now.checked_sub(SignedDuration::from_hours(24)).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
    let until = now.checked_add(VALID).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
    let (year, month, day) = ymd(&from);
    parameters.not_before = date_time_ymd(year, month, day);
    let (year, month, day) = ymd(&until);
    parameters.not_after = date_time_ymd(year, month, day);
    Some(())
}

fn ymd(at: &jiff::Zoned) -> (i32, u8, u8) {
    (i32::from(at.year()), at.month().unsigned_abs(), at.day().unsigned_abs())
}

fn key(seed: &str, purpose: &str) -> Option<KeyPair> {
    let mut der = ED25519_PREFIX.to_vec();
    der.extend(Sha256::digest(format!("{purpose}/{seed}")));
    KeyPair::try_from(der).ok()
}
