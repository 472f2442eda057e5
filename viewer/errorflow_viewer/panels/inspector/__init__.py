"""The evidence about one node: many views of one tensor, each of which says how well it suits."""
