"""The customer relationship manager: customers, who are found, added, changed and deleted."""

from __future__ import annotations

from typing import Any, Final

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, Tool
from benchsite.tracks.agents.benchmarks.workbench.tools.search import contains

TABLE: Final = "customer_relationship_manager_data"
_ID: Final = "customer_id"
_STATUSES: Final = ("Qualified", "Won", "Lost", "Lead", "Proposal")
_PRODUCTS: Final = ("Software", "Hardware", "Services", "Consulting", "Training")


def search_customers(  # noqa: PLR0913, PLR0917 - the original's parameters
    box: Sandbox,
    customer_name: Any = None,
    customer_email: Any = None,
    product_interest: Any = None,
    status: Any = None,
    assigned_to_email: Any = None,
    last_contact_date_min: Any = None,
    last_contact_date_max: Any = None,
    follow_up_by_min: Any = None,
    follow_up_by_max: Any = None,
) -> Any:
    """Up to five customers that match every field that is given; dates are compared as text."""
    patterns = {
        "customer_name": customer_name,
        "customer_email": customer_email,
        "product_interest": product_interest,
        "status": status,
        "assigned_to_email": assigned_to_email,
    }
    bounds = {
        "last_contact_date": (last_contact_date_min, last_contact_date_max),
        "follow_up_by": (follow_up_by_min, follow_up_by_max),
    }
    if not any(patterns.values()) and not any(limit for pair in bounds.values() for limit in pair):
        return "No search parameters provided. Please provide at least one parameter."
    found = box.state[TABLE].records()
    for column, pattern in patterns.items():
        if pattern:
            matches = contains(pattern, ignore_case=True)
            found = [customer for customer in found if matches(customer[column])]
    for column, (least, most) in bounds.items():
        if least:
            found = [customer for customer in found if customer[column] >= least]
        if most:
            found = [customer for customer in found if customer[column] <= most]
    return found[:5]


def update_customer(box: Sandbox, customer_id: Any = None, field: Any = None, new_value: Any = None) -> Any:
    """Change one field of a customer."""
    if not customer_id or not field or not new_value:
        return "Customer ID, field, or new value not provided."
    if field == "status" and new_value not in _STATUSES:
        return "Status not valid. Please choose from: 'Qualified', 'Won', 'Lost', 'Lead', 'Proposal'"
    if field == "product_interest" and new_value not in _PRODUCTS:
        return (
            "Product interest not valid. Please choose from: "
            "'Software', 'Hardware', 'Services', 'Consulting', 'Training'"
        )
    if field in ("customer_email", "assigned_to_email"):
        new_value = new_value.lower()
    customers = box.state[TABLE]
    if not customers.holds(_ID, customer_id):
        return "Customer not found."
    if field not in customers.columns:
        return (
            "Field not valid. Please choose from: 'customer_name', 'assigned_to_email', 'customer_email', "
            "'customer_phone', 'last_contact_date', 'product_interest', 'status', 'notes', 'follow_up_by'"
        )
    box.state[TABLE] = customers.changed(_ID, customer_id, field, new_value)
    return "Customer updated successfully."


def add_customer(  # noqa: PLR0913, PLR0917 - the original's parameters
    box: Sandbox,
    customer_name: Any = None,
    assigned_to_email: Any = None,
    status: Any = None,
    customer_email: Any = None,
    customer_phone: Any = None,
    last_contact_date: Any = None,
    product_interest: Any = None,
    notes: Any = "",
    follow_up_by: Any = None,
) -> Any:
    """Add a customer; the result is the id."""
    if not all([customer_name, assigned_to_email, status]):
        return "Please provide all required fields: customer_name, assigned_to_email, status."
    customers = box.state[TABLE]
    customer_id = str(int(customers.greatest(_ID)) + 1).zfill(8)
    record = {
        _ID: customer_id,
        "customer_name": customer_name,
        "customer_email": customer_email.lower() if customer_email else customer_email,
        "customer_phone": customer_phone,
        "last_contact_date": last_contact_date,
        "product_interest": product_interest,
        "status": status,
        "assigned_to_email": assigned_to_email.lower(),
        "notes": notes,
        "follow_up_by": follow_up_by,
    }
    box.state[TABLE] = customers.appended(0, record).relabeled()
    return customer_id


def delete_customer(box: Sandbox, customer_id: Any = None) -> Any:
    """Delete a customer."""
    if not customer_id:
        return "Customer ID not provided."
    if not box.state[TABLE].holds(_ID, customer_id):
        return "Customer not found."
    box.state[TABLE] = box.state[TABLE].without(_ID, customer_id)
    return "Customer deleted successfully."


TOOLS: Final = (
    Tool("customer_relationship_manager.update_customer", update_customer, changes_state=True),
    Tool("customer_relationship_manager.add_customer", add_customer, changes_state=True),
    Tool("customer_relationship_manager.delete_customer", delete_customer, changes_state=True),
    Tool("customer_relationship_manager.search_customers", search_customers, changes_state=False),
)
