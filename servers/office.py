# snippet: office; mcp_lesson
"""An office assistant's data: leave, orders and customers, as tools and as resources.

The new idea of this rung: the same facts may be a tool or a resource. A model asks `order_status`
when it thinks it should; a host reads `order://…` because the user opened that order. Holes in a
URI make one resource of a whole table. A booked leave is a real change, so subscribers hear of it.
Plain functions run in threads, so two bookings may come at once: one lock lets them in in turn.
"""

import threading

from mcp_lesson import NotFound, Server, ToolError, run

server = Server("office", "1.0.0", instructions="Leave, orders and customers of a small office.")

LEAVE = {"ada": 12, "grace": 3, "linus": 20}  # days left
BOOKING = threading.Lock()
CUSTOMERS = {
    "7": {"name": "Mira Sen", "tier": "gold"},
    "8": {"name": "Tomás Ruiz", "tier": "basic"},
}
ORDERS = {
    ("7", "1001"): {"item": "desk lamp", "status": "shipped"},
    ("7", "1002"): {"item": "chair", "status": "in production"},
    ("8", "1003"): {"item": "whiteboard", "status": "delivered"},
}
DAYS = {
    "type": "object",
    "properties": {"employee": {"type": "string"}, "days_left": {"type": "integer"}},
    "required": ["employee", "days_left"],
}


@server.tool(outputSchema=DAYS, annotations={"readOnlyHint": True})
def leave_balance(employee: str) -> dict:
    """How many days of leave an employee has left. Use it before booking any."""
    return {"employee": employee, "days_left": days_of(employee)}


@server.tool
def book_leave(employee: str, days: int) -> str:
    """Book days of leave for an employee, if enough are left."""
    with BOOKING:
        left = days_of(employee)
        if not 0 < days <= left:
            raise ToolError(f"{employee} has {left} days left, so {days} cannot be booked")
        left -= days
        LEAVE[employee] = left
    server.updated(f"leave://employees/{employee}")
    return f"booked; {left} days left"


@server.tool(annotations={"readOnlyHint": True})
def order_status(user_id: str, order_id: str) -> str:
    """Where an order is: in production, shipped or delivered."""
    return find_order(user_id, order_id)["status"]


@server.resource("config://app/settings", name="settings", mimeType="application/json")
def settings() -> dict:
    """How the office is set up."""
    return {"language": "en", "currency": "EUR", "opens": "08:00"}


@server.resource("leave://employees/{employee}", name="leave", mimeType="text/plain")
def leave(employee: str) -> str:
    """Days of leave left; subscribe to hear when some are booked."""
    return str(days_of(employee))


@server.resource(
    "customer://users/{userId}/profile", name="customer-profile", mimeType="application/json"
)
def profile(userId: str) -> dict:
    """Who a customer is."""
    if userId not in CUSTOMERS:
        raise NotFound(f"there is no customer {userId}")
    return CUSTOMERS[userId]


@server.resource(
    "order://users/{userId}/orders/{orderId}", name="order", mimeType="application/json"
)
def order(userId: str, orderId: str) -> dict:
    """One order of one customer."""
    return find_order(userId, orderId)


@server.completion("customer://users/{userId}/profile", "userId")
def customer_ids(typed: str) -> list[str]:
    """The customers whose number begins like this."""
    return [number for number in CUSTOMERS if number.startswith(typed)]


def days_of(employee: str) -> int:
    if employee not in LEAVE:
        raise NotFound(f"there is no employee {employee!r}; there are {', '.join(LEAVE)}")
    return LEAVE[employee]


def find_order(user_id: str, order_id: str) -> dict:
    if (user_id, order_id) not in ORDERS:
        raise NotFound(f"customer {user_id} has no order {order_id}")
    return ORDERS[user_id, order_id]


if __name__ == "__main__":
    run(server)
