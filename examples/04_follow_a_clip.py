"""4. Follow a clip: a figure goes after moving targets, frame by frame, without jumping.

    python examples/04_follow_a_clip.py [CLIP.bvh A,B,C]

Without arguments it follows six joints of the built-in cartwheel.
"""

import sys

import limbik

if len(sys.argv) > 1:
    clip = limbik.load_motion(sys.argv[1])
    effectors = sys.argv[2].split(",") if len(sys.argv) > 2 else list(clip.figure.joints[:1])
else:
    clip = limbik.figures.cartwheel()
    effectors = ["LeftHand", "RightHand", "LeftToeBase", "RightToeBase", "Hips", "Head"]
figure = clip.figure
print(clip)

# The targets are where the clip has those joints: (frames, effectors, 3).  Nothing else of the
# clip is used but its first pose.
targets = clip.positions()[:, [figure.index(name) for name in effectors]]
result = limbik.track(figure, effectors, targets, start=clip.q[0], fps=clip.fps, reference=clip.q)

print(f"{(result.status == 'REACHED').sum()} of {clip.frames} frames reached")
print(f"worst error {result.error.max():.2g} {figure.unit or 'units'}")
print(f"{result.violation:g} outside the limits, {len(result.jumps)} jumps")
print(f"{1e6 * result.seconds / clip.frames:.0f} µs per frame, the first time included")

# The answer is a motion like any other: slice it, resample it, save it.
half = result.motion.resample(60)
print(half)
# limbik.save(half, "followed.bvh")
