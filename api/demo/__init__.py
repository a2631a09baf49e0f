"""The demo group (演示集团): eight companies with two years of bills, for trying the product and measuring it.

`load(size)` fills a database that has its administrator; `logins()` are the demo users, whose passwords are public.
"""

from api.demo.loading import load
from api.demo.people import LOGINS


def logins() -> list[dict[str, str]]:
    """The demo users as the launcher prints them."""
    return [
        {"role": login.role, "user_name": login.user_name, "password": login.password} for login in LOGINS
    ]


__all__ = ["load", "logins"]
