//! Vectors made with botocore 1.44.8, and what must be refused.

use super::*;

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn eks_request(signature: &str) -> Request<Bytes> {
    let path = "/clusters/a%20b/access-entries/arn%3Aaws%3Aiam%3A%3A111122223333%3Arole%2Fx?tagKeys=b&tagKeys=a%2Fc";
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/eks/aws4_request, \
         SignedHeaders=host;x-amz-date, Signature={signature}"
    );
    Request::delete(path)
        .header("host", "eks.us-west-2.amazonaws.com")
        .header("x-amz-date", "20260102T030405Z")
        .header("authorization", authorization)
        .body(Bytes::new())
        .unwrap()
}

const EKS: &str = "748ca0a5a5c5996a22a12ddc3da118197cb98dc2ae5dacca6725fc3b72458e2d";

fn verified(request: &Request<Bytes>, secret: &str, now: &str) -> Result<(), String> {
    let signed = read(request).map_err(|error| error.code)?.unwrap();
    verify(&signed, request, secret, at(now)).map_err(|error| error.code)
}

#[test]
fn a_signature_of_botocore_is_accepted() {
    let request = eks_request(EKS);
    let signed = read(&request).unwrap().unwrap();
    assert_eq!((signed.service.as_str(), signed.region.as_str()), ("eks", "us-west-2"));
    assert_eq!(verified(&request, SECRET, "2026-01-02T03:04:05Z"), Ok(()));
    assert_eq!(verified(&request, SECRET, "2026-01-02T03:09:05Z"), Ok(()));
}

#[test]
fn a_wrong_secret_signature_or_request_is_refused() {
    let now = "2026-01-02T03:04:05Z";
    let mismatch = Err("SignatureDoesNotMatch".to_owned());
    assert_eq!(verified(&eks_request(EKS), "another", now), mismatch);
    assert_eq!(verified(&eks_request(&EKS.replace('7', "8")), SECRET, now), mismatch);
    let mut other_path = eks_request(EKS);
    *other_path.uri_mut() = "/clusters/b".parse().unwrap();
    assert_eq!(verified(&other_path, SECRET, now), mismatch);
    let other_body = eks_request(EKS).map(|_| Bytes::from_static(b"{}"));
    assert_eq!(verified(&other_body, SECRET, now), mismatch);
}

#[test]
fn a_signature_is_good_for_five_minutes_either_way() {
    let expired = Err("RequestExpired".to_owned());
    assert_eq!(verified(&eks_request(EKS), SECRET, "2026-01-02T03:09:06Z"), expired);
    assert_eq!(verified(&eks_request(EKS), SECRET, "2026-01-02T02:59:04Z"), expired);
}

#[test]
fn a_signature_that_cannot_be_read_is_incomplete() {
    let mut request = eks_request(EKS);
    request.headers_mut().insert("authorization", "AWS4-HMAC-SHA256 Credential=a/b".parse().unwrap());
    assert_eq!(read(&request).unwrap_err().code, "IncompleteSignature");
    request.headers_mut().insert("authorization", "Bearer x".parse().unwrap());
    assert_eq!(read(&request).unwrap_err().code, "IncompleteSignature");
    request.headers_mut().remove("authorization");
    assert_eq!(read(&request), Ok(None));
}

const STS: &str = "https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15\
    &X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Fus-west-2%2Fsts%2Faws4_request\
    &X-Amz-Date=20260102T030405Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id\
    &X-Amz-Signature=a53315e5b5b4bb54c29d32b3dcd0619487e455d104b30b5e4d92eb5fcadfc552";

fn token_request(cluster: &str) -> Request<Bytes> {
    Request::get(STS).header("x-k8s-aws-id", cluster).body(Bytes::new()).unwrap()
}

#[test]
fn an_eks_token_is_good_for_fifteen_minutes_and_one_cluster() {
    assert_eq!(verified(&token_request("demo"), SECRET, "2026-01-02T03:19:05Z"), Ok(()));
    assert_eq!(verified(&token_request("demo"), SECRET, "2026-01-02T03:19:06Z"), Err("RequestExpired".to_owned()));
    let other = verified(&token_request("other"), SECRET, "2026-01-02T03:04:05Z");
    assert_eq!(other, Err("SignatureDoesNotMatch".to_owned()));
}

#[test]
fn an_unknown_key_in_a_presigned_url_is_refused() {
    let refused = verify_presigned(&World::new(1, 1), STS, &[("x-k8s-aws-id", "demo")], at("2026-01-02T03:04:05Z"));
    assert_eq!(refused.unwrap_err().code, "InvalidClientTokenId");
    let refused = verify_presigned(&World::new(1, 1), "not a url", &[], at("2026-01-02T03:04:05Z"));
    assert_eq!(refused.unwrap_err().code, "IncompleteSignature");
}
