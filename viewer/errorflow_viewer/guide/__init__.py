"""The page on which a comparison is put together: shows what `errorflow.scenarios` says, and decides nothing."""
