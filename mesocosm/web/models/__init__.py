"""What routes take and give, as pydantic models: the OpenAPI document is made of them."""
