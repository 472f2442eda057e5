"""A small ResNet as a user of Caffe, AMCT and an NPU has it, computed and written, with faults planted into it."""
