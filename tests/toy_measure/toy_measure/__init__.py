"""A measure of its own package: the mean of dice, for the test that a measure needs no change of aiq."""

from aiq.wing import Headline, Measure

MEASURE = Measure(
    name="dice",
    title="Mean of dice",
    package="toy_measure",
    settings="toy_measure.dice:Dice",
    units="toy_measure.dice:units",
    run="toy_measure.dice:run",
    reduce="toy_measure.dice:reduce",
    products="toy_measure.dice:PRODUCTS",
    figures="toy_measure.drawing:FIGURES",
    verbs="toy_measure.verbs:COMMANDS",
    headline=Headline("means", ("die",), "mean", "low", "high", "throws", "dice-means"),
)
