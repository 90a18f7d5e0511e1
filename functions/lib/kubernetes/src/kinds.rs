//! Which kinds the cluster serves, and which version it is.

use crate::client::Kubernetes;
use domain::failure::Trouble;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;

impl Kubernetes {
    /// Whether the cluster serves a kind: `("kueue.x-k8s.io/v1beta1", "ClusterQueue")`.
    ///
    /// # Errors
    /// The read was refused or lost: then it is not known.
    pub async fn serves(&self, api_version: &str, kind: &str) -> Result<bool, Trouble> {
        let path =
            if api_version.contains('/') { format!("/apis/{api_version}") } else { format!("/api/{api_version}") };
        let operation = format!("discover {api_version}");
        let list: Option<APIResourceList> = self.maybe(&operation, self.client.request(get(&path))).await?;
        Ok(list.is_some_and(|list| list.resources.iter().any(|resource| resource.kind == kind)))
    }

    /// Whether the cluster serves an API group at all: `cert-manager.io`.
    ///
    /// # Errors
    /// The read was refused or lost: then it is not known.
    pub async fn serves_group(&self, group: &str) -> Result<bool, Trouble> {
        let operation = format!("discover {group}");
        let found: Option<serde_json::Value> =
            self.maybe(&operation, self.client.request(get(&format!("/apis/{group}")))).await?;
        Ok(found.is_some())
    }

    /// The API server's version, `v1.34.2-eks-…`: the cheapest proof that it answers.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn version(&self) -> Result<String, Trouble> {
        Ok(self.read("get version", self.client.apiserver_version()).await?.git_version)
    }
}

fn get(path: &str) -> http::Request<Vec<u8>> {
    let mut request = http::Request::new(Vec::new());
    if let Ok(uri) = path.parse() {
        *request.uri_mut() = uri;
    }
    request
}
