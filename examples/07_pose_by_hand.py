"""7. By hand: open the poser with goals of your program, and take back what a person made of it."""

import limbik

human = limbik.figures.human()
goals = [
    limbik.Reach("LeftHand", position=[0.35, 1.75, 0.40]),
    limbik.Pin("LeftFoot"),
    limbik.Pin("RightFoot"),
]

# A script would wait in here until Ctrl-C; this one goes on, and asks.
with limbik.view(human, goals, block=False) as shown:
    print(f"{shown.result.status}: drag the hand at {shown.url}")
    input("Press Enter when you are done. ")
    q = shown.pose

hand = human.positions(q)[human.index("LeftHand")]
print(f"\nthe left hand is {100 * hand[1]:.1f} cm above the floor")
print(f"{human.violation(q):.1f} rad outside its limits")
