#!/bin/sh
# The run that made models/headflow-small.Q8_0.gguf: `headflow-small.sh CORPUS`. Run again, it resumes.
#
# Four legs of one run, as it went. The second adds repeats from small alphabets: with repeats from the
# whole vocabulary alone the best previous-token head stood at 0.37. In the third the repeats get fewer and
# the learning rate begins to fall; the fourth lets it fall to zero sooner.
set -eu
corpus=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."

leg() {
  python3 scripts/train/train.py "$corpus" "$@"
}

leg --tokens 60e6 --stop-at 1250 \
  --stories 0.3 --random-repeats 0.06 --small-alphabets 0 --text-repeats 0.03
leg --tokens 60e6 --stop-at 1898 \
  --stories 0.3 --random-repeats 0.08 --small-alphabets 0.6 --text-repeats 0.04
leg --tokens 29491200 --decay 0.4728 --stop-at 2609 \
  --stories 0.28 --random-repeats 0.04 --small-alphabets 0.6 --text-repeats 0.02
leg --tokens 26869760 --decay 0.3514 \
  --stories 0.28 --random-repeats 0.04 --small-alphabets 0.6 --text-repeats 0.02
python3 scripts/train/export.py
