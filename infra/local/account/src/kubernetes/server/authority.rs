//! The certificate authority of a cluster's endpoint, and the certificate that it signs for a listener.

use crate::kubernetes::Cluster;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, SanType};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};

/// A certificate authority, as PEM, so that it survives with its cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authority {
    /// The certificate that clients trust.
    pub certificate: String,
    key: String,
}

impl Authority {
    /// What the authority's certificate says; the signer needs the same again.
    fn parameters() -> Result<CertificateParams, rcgen::Error> {
        let mut parameters = CertificateParams::new(vec!["kubernetes".to_owned()])?;
        parameters.distinguished_name.push(DnType::CommonName, "kubernetes");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        Ok(parameters)
    }

    fn generate() -> Result<Self, rcgen::Error> {
        let key = KeyPair::generate()?;
        let certificate = Self::parameters()?.self_signed(&key)?;
        Ok(Self { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// Signs a certificate for the names of an endpoint on this machine.
    pub(super) fn sign(
        &self,
        names: &[String],
    ) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), rcgen::Error> {
        let issuer = Issuer::new(Self::parameters()?, KeyPair::from_pem(&self.key)?);
        let key = KeyPair::generate()?;
        let mut all = vec!["localhost".to_owned(), "kubernetes.default.svc".to_owned()];
        all.extend(names.iter().cloned());
        let mut parameters = CertificateParams::new(all)?;
        parameters.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        parameters.subject_alt_names.push(SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        let certificate = parameters.signed_by(&key, &issuer)?;
        Ok((vec![certificate.der().clone()], PrivatePkcs8KeyDer::from(key.serialize_der()).into()))
    }
}

impl Cluster {
    /// The cluster's certificate authority, if it was needed before.
    pub fn known_authority(&self) -> Option<&Authority> {
        self.authority.as_ref()
    }

    /// The cluster's certificate authority; made at the first call and kept.
    ///
    /// # Errors
    /// If the system gives no randomness for a key.
    pub fn authority(&mut self) -> Result<&Authority, rcgen::Error> {
        if self.authority.is_none() {
            self.authority = Some(Authority::generate()?);
        }
        self.authority.as_ref().ok_or(rcgen::Error::CouldNotParseCertificate)
    }
}
