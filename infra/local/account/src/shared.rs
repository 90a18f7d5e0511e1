//! A large part of the world that copies of the world share until one of them changes it: what makes copying the world,
//! and keeping it, cheap.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Weak},
};

/// A value that is copied when it is first changed and never before. To borrow it mutably counts as a change.
#[derive(Debug, Clone)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Remembers what this is now without holding it: whoever changes it next moves it instead of copying it.
    pub fn mark(&self) -> Mark<T> {
        Mark(Arc::downgrade(&self.0))
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

/// A value as it was at one moment, known again and not held.
#[derive(Debug, Clone)]
pub struct Mark<T>(Weak<T>);

impl<T> Mark<T> {
    /// Whether `value` has not been changed since it was marked. Its place in memory stays taken as long as the mark is
    /// there, so that another value is never mistaken for it.
    pub fn is_of(&self, value: &Shared<T>) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&value.0))
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn a_copy_is_the_same_value_until_one_of_the_two_changes() {
        let mut first = Shared::from(vec![1]);
        let (second, mark) = (first.clone(), first.mark());
        assert!(mark.is_of(&second));
        first.push(2);
        assert_eq!((first.as_slice(), second.as_slice()), ([1, 2].as_slice(), [1].as_slice()));
        assert!(mark.is_of(&second) && !mark.is_of(&first));
    }

    #[test]
    fn a_change_is_noticed_where_nobody_else_holds_the_value() {
        let mut value = Shared::from(vec![1]);
        let mark = value.mark();
        value.push(2);
        assert!(!mark.is_of(&value));
        assert!(value.mark().is_of(&value));
    }
}
