"""Model, once read: `model` holds the values, `build` makes them, `order` sorts them by depth."""
