"""The page on which a comparison is put together: shows what `errorflow.case.scenarios` says, and decides nothing."""
