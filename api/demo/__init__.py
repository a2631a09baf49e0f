"""The demo group (演示集团): eight companies with two years of bills, for trying and measuring the product.

`load_group(size)` fills a database that has its administrator; `list_logins()` are the demo users with
public passwords.
"""

from api.demo.loader import load_group
from api.demo.users import LOGINS


def list_logins() -> list[dict[str, str]]:
    """Return the demo users as the launcher prints them."""
    return [
        {"role": login.role, "user_name": login.user_name, "password": login.password} for login in LOGINS
    ]


__all__ = ["list_logins", "load_group"]
