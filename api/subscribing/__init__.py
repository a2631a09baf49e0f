"""Report subscriptions (报表订阅): a report as Excel or PDF, under the recipient's rights of that moment."""
