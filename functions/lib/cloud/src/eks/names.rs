//! Which clusters there are.

use super::{Eks, reading};
use domain::failure::Trouble;

impl Eks {
    /// Names of all clusters of the Region; all pages.
    pub async fn names(&self) -> Result<Vec<String>, Trouble> {
        let mut names = Vec::new();
        let mut token = None;
        loop {
            let page = self.read.list_clusters().max_results(100).set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("ListClusters", &error))?;
            names.extend(page.clusters().iter().cloned());
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(names);
            }
        }
    }
}
