"""One file per service: calls in an order that makes each action of the service succeed and some of them be refused."""
